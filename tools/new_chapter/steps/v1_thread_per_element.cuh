// Was:   one thread did everything, and all others had nothing to do.
// Now:   each element has a thread of its own; those of the last block that are too many leave.
// Watch: lanes: all of a warp, but for the last one.
#pragma once

#include "problem.hpp"

namespace v1_thread_per_element {

__global__ void twice(const float *in, unsigned n, float *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; // i: [0, gridDim.x * blockDim.x)
  if (i < n)
    out[i] = 2 * in[i];
}

inline void run(Problem &p) {
  if (p.n == 0)
    return; // an empty grid is an error
  const unsigned blocks = (p.n + p.block - 1) / p.block;
  twice<<<blocks, p.block>>>(p.in.data(), p.n, p.out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v1_thread_per_element
