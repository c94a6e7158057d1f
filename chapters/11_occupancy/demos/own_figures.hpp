/// @file
/// Options that ask about figures of yours, and need no GPU: --launch and --slots.
#pragma once

/// True when one of them is there: then answer_own_figures() does all that is asked for.
bool asks_about_own_figures(int argc, char **argv);

/// --launch THREADS,REGISTERS,SHARED: what each GPU makes of such a launch.
/// --slots WARPS,CHAINS[,CYCLES]: which warps a multiprocessor's schedulers issue.
/// As the last option. Returns the program's exit code.
int answer_own_figures(int argc, char **argv);
