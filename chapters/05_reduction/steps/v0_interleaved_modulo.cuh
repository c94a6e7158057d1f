// Was:   the host's loop: n additions one after the other, each waiting for the one before.
// Now:   a tree: in each round half of the threads left add their neighbour's sum to their own.
// Watch: lanes per request: the threads at work are spread thin over all warps.
#pragma once

#include "problem.hpp"

namespace v0 {

// The sums of all rounds stand in global memory, in place of the elements they are made of. This
// destroys `data`, so on the first level it is a copy of the input.
__global__ void reduce(Value *data, size_t n, Value *out) {
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && i + stride < n)
      data[i] += data[i + stride];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = i < n ? data[i] : 0;
}

inline void run(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, p.block); };
  const auto launch = [&](unsigned grid, Value *in, size_t n, Value *out) {
    reduce<<<grid, p.block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_scratch.data(), blocks, launch);
}

} // namespace v0
