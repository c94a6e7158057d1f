// Was:   one block, so one multiprocessor at work, and all others with nothing to do.
// Now:   as many blocks as the device holds at a time; the host adds up one sum per thread.
// Watch: blocks: from 1 to two for each multiprocessor, and the time.
#pragma once

#include "problem.hpp"

namespace v4 {

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const unsigned tid = threadIdx.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + tid; // in the whole grid
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = thread; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x)
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

} // namespace v4
