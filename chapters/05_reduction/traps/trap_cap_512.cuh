// v5 as it was written when a block had at most 512 threads: the first round for 1024 is missing.
#pragma once

#include "problem.hpp"

namespace trap_cap_512 {

inline const char *why =
    "the list of rounds starts at 512 threads. A block of 1024, allowed since 2010, loses the sums "
    "of its upper half, and nothing complains.";

template <unsigned BLOCK> __global__ void reduce(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[BLOCK];
  const unsigned tid = threadIdx.x;
  s_data[tid] = tid < n ? in[tid] : 0;
  __syncthreads();

#pragma unroll
  for (unsigned stride = (BLOCK < 512 ? BLOCK : 512) / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  reduce<1024><<<1, 1024>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_cap_512
