/// @file
/// The calculator that comes with the CUDA toolkit, to compare ours with.
#pragma once

/// How many launches were compared, and on how many the two differ.
struct TableProof {
  int launches = 0;
  int different = 0;
};

/// Compares occupancy::resident() with cuda_occupancy.h for all known kinds of GPU, over block sizes,
/// registers, shared memory and barriers; `step` says how finely. No launches where the toolkit is
/// not there.
TableProof compare_with_cuda_table(int step);
