// The mean of each block, with an index that leaves out the block.
#pragma once

#include "problem.hpp"

namespace trap_missing_block_index {

inline const char *why =
    "threadIdx.x counts within the block. Without blockIdx.x * blockDim.x every block reads the "
    "first elements, and each result is the first block's. One block alone comes out right.";

__global__ void sums(const Byte *in, size_t n, unsigned *sums) {
  __shared__ unsigned s_sum;
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  const unsigned i = threadIdx.x;
  if (i < n)
    atomicAdd(&s_sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = s_sum;
}

inline void run(Histogram &p) {
  p.expected.assign(bins, 0);
  for (size_t i = 0; i < p.n; ++i)
    p.expected[i / static_cast<size_t>(p.block)] += p.h_in[i];
  empty_bins(p);
  sums<<<blocks_for(p.n, p.block), p.block>>>(p.d_in.data(), p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_missing_block_index
