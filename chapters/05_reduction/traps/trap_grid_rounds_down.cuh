// v2, launched with n / block blocks.
#pragma once

#include "problem.hpp"

namespace trap_grid_rounds_down {

inline const char *why =
    "n / block rounds down: the elements after the last full block have no thread. Round up, and "
    "test the index against n.";

__global__ void reduce(const Value *in, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  s_data[tid] = in[blockIdx.x * blockDim.x + tid];
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
  const unsigned grid = static_cast<unsigned>(p.n / static_cast<size_t>(p.block));
  reduce<<<grid, p.block, p.block * sizeof(Value)>>>(p.d_in.data(), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_grid_rounds_down
