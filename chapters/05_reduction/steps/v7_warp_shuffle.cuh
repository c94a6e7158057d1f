// Was:   sums travelled from lane to lane through shared memory, a store and a load per round.
// Now:   a shuffle hands them from register to register; shared memory holds one sum per warp.
// Watch: requests to shared memory: a handful per block. One barrier is left, and no template: a
//        warp always has 32 lanes.
#pragma once

#include "problem.hpp"

namespace v7 {

__device__ inline Value warp_sum(Value sum) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum; // lane 0 has the sum of all lanes
}

__global__ void reduce(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[32]; // one per warp
  const unsigned tid = threadIdx.x;
  const unsigned lane = tid % 32;
  const unsigned warp = tid / 32;
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  Value sum = 0;
  for (; i + 3 * threads < n; i += 4 * threads)
    sum += in[i] + in[i + threads] + in[i + 2 * threads] + in[i + 3 * threads];
  for (; i < n; i += threads)
    sum += in[i];

  sum = warp_sum(sum);
  if (lane == 0)
    s_data[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? s_data[lane] : 0);
    if (lane == 0)
      out[blockIdx.x] = sum;
  }
}

inline void run(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_to_fill(n, p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    reduce<<<grid, p.block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

} // namespace v7
