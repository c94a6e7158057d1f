/// @file
/// The work of this chapter: one kernel, launched by every step.
#pragma once

#include "problem.hpp"

/// Moves n generators on by `steps` steps each; a thread for each. (A template, so that several files
/// may include it.)
template <class T> __global__ void advance(const T *in, T *out, size_t n, unsigned steps) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T x = in[i];
  for (unsigned step = 0; step < steps; ++step)
    x = multiplier * x + increment;
  out[i] = x;
}

/// Blocks for n words; one for none.
inline unsigned blocks_for(size_t n) {
  return n > 0 ? static_cast<unsigned>((n + block - 1) / block) : 1;
}
