// Was:   one thread made 1023 additions in a row, while the others had nothing to do.
// Now:   a tree: in each round half of the threads left add the other half's sums to their own.
// Watch: barriers: ten more, one per round. Requests to shared memory: far fewer.
#pragma once

#include "problem.hpp"

namespace v6 {

constexpr unsigned threads = 1024; // the most that a block may have

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  __shared__ Sum s_sums[threads];
  const unsigned tid = threadIdx.x;
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + tid; // in the whole grid
  Sum sum = 0;
#pragma unroll 1 // one read at a time
  for (size_t i = thread; i < n; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    sum += square(in[i]);
  s_sums[tid] = sum;
  __syncthreads();

  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_sums[tid] += s_sums[tid + stride];
    __syncthreads();
  }

  if (tid == 0)
    partials[blockIdx.x] = s_sums[0];
}

inline void run(SumOfSquares &p) {
  const unsigned blocks = blocks_to_fill(threads);
  sum_of_squares<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_partials.data());
  LAB_CHECK_LAUNCH();
  p.partials = blocks;
}

} // namespace v6
