// v3 with one bounds test for two loads.
#pragma once

#include "problem.hpp"

namespace trap_half_pairs {

inline const char *why =
    "one test guards both loads, so an element whose partner lies past the end is dropped with "
    "it. Right whenever n is a multiple of 2 * block, which is what such code gets tested with.";

__global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * (2 * blockDim.x) + tid;
  s_data[tid] = i + blockDim.x < n ? in[i] + in[i + blockDim.x] : 0;
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
  reduce<<<1, p.block, p.block * sizeof(Value)>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_half_pairs
