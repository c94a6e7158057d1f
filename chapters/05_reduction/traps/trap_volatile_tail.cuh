// The last warp of v4 as it was written for GPUs before 2017: volatile, and no __syncwarp().
#pragma once

#include "problem.hpp"

namespace trap_volatile_tail {

inline const char *why =
    "volatile makes each lane really load and store, but orders nothing between lanes. Since Volta "
    "the lanes of a warp may run apart; only __syncwarp() makes one wait for another.";

__global__ void reduce(const Value *in, size_t n, Value *out) {
  __shared__ volatile Value s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid < n ? in[tid] : 0;
  __syncthreads();

  if (tid < 32) {
    s_data[tid] = s_data[tid] + s_data[tid + 32];
    s_data[tid] = s_data[tid] + s_data[tid + 16];
    s_data[tid] = s_data[tid] + s_data[tid + 8];
    s_data[tid] = s_data[tid] + s_data[tid + 4];
    s_data[tid] = s_data[tid] + s_data[tid + 2];
    s_data[tid] = s_data[tid] + s_data[tid + 1];
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  reduce<<<1, p.block>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_volatile_tail
