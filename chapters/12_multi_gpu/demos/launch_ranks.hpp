/// @file
/// `--ranks N`: the program of the folder ranks takes over, in N processes.
#pragma once

/// Whether the arguments ask for ranks.
bool wants_ranks(int argc, char **argv);
/// Becomes mpirun; returns an exit code only if that fails: 2 for wrong usage, 3 where MPI is missing.
int launch_ranks(int argc, char **argv);
