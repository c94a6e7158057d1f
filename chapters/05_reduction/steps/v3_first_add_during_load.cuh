// Was:   half of the threads did nothing after their one load.
// Now:   each thread loads two elements and adds them on the way.
// Watch: blocks launched: half as many, each with as many barriers as before.
#pragma once

#include "problem.hpp"

namespace v3 {

__global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * (2 * blockDim.x) + tid;
  Value sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n)
    sum += in[i + blockDim.x];
  s_data[tid] = sum;
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_for(n, 2 * p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    reduce<<<grid, p.block, p.block * sizeof(Value)>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

} // namespace v3
