// What a warp does with one value of each lane. All 32 lanes have to call.
#pragma once

#include "problem.hpp"

constexpr unsigned all_lanes = 0xffffffffu;

// Lane k gets the sum of the lanes 0 to k.
__device__ inline Value warp_scan(Value sum) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const Value left = __shfl_up_sync(all_lanes, sum, offset);
    if (lane >= offset)
      sum += left;
  }
  return sum;
}

// Every lane gets the sum of all.
__device__ inline Value warp_sum(Value sum) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, sum); // one instruction
#else
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(all_lanes, sum, offset);
  return sum;
#endif
}
