/// @file
/// The option --launch: what each GPU makes of a launch of yours.
#pragma once

/// True when --launch is among the options: then answer_launch() does all that is asked for.
bool asks_for_launch(int argc, char **argv);

/// --launch THREADS,REGISTERS,SHARED, as the last option. Returns the program's exit code.
int answer_launch(int argc, char **argv);
