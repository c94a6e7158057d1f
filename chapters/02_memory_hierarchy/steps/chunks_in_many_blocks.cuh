// Was:   v4, in which the threads of the whole grid take turns.
// Now:   v1's chunks on v4's grid: each of all these threads has a contiguous piece of the input.
// Watch: sectors per request: 32 again. L1 hits, and the bytes read from memory.
#pragma once

#include "problem.hpp"

namespace chunks_in_many_blocks {

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const unsigned tid = threadIdx.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + tid; // in the whole grid
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t chunk = (n + threads - 1) / threads;
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = thread * chunk; i < (thread + 1) * chunk && i < n; ++i)
    sum += square(in[i]);
  partials[thread] = sum;
}

inline void run(SumOfSquares &p) {
  const unsigned threads = 1024; // the most that a block may have
  const unsigned blocks = blocks_to_fill(threads);
  sum_of_squares<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = static_cast<size_t>(blocks) * threads;
}

} // namespace chunks_in_many_blocks
