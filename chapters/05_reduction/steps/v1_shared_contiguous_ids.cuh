// Was:   every round went through global memory, and the threads at work lay far apart.
// Now:   one read into shared memory; neighbours in id do the work, so whole warps drop out.
// Watch: lanes per request rise; the stride in shared memory now doubles, so bank conflicts appear.
#pragma once

#include "problem.hpp"

namespace v1 {

__global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x)
      s_data[index] += s_data[index + stride];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    reduce<<<grid, p.block, p.block * sizeof(Value)>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

} // namespace v1
