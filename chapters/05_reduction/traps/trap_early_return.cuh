// "No element for me, so I return": before the barrier, and before anybody wrote this thread's word
// of shared memory.
#pragma once

#include "problem.hpp"

namespace trap_early_return {

inline const char *why =
    "a thread that returns leaves its word of shared memory as the last block left it, and the "
    "others add it. The barrier is not to blame: since Volta it waits for the threads that have "
    "not "
    "exited. Write 0 instead of returning.";

__global__ void reduce(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[1024];
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  if (i >= n)
    return;
  s_data[tid] = in[i];
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
  reduce<<<1, p.block>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_early_return
