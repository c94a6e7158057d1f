// Was:   what is read stays in the cache in place of what was there, and is not read again.
// Now:   __ldcs() says so: such data make room for one another first.
// Watch: the time where the cache holds the end of the input from before.
#pragma once

#include "problem.hpp"

namespace v11 {

__device__ inline Value warp_sum(Value sum) {
#pragma unroll
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum; // lane 0 has the sum of all lanes
}

__device__ inline Value components(uint4 v) { return v.x + v.y + v.z + v.w; }

__global__ void reduce(const Value *in, size_t n, Value *out) {
  __shared__ Value s_data[32]; // one per warp
  const unsigned tid = threadIdx.x;
  const unsigned lane = tid % 32;
  const unsigned warp = tid / 32;
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x; // in the whole grid
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  const uint4 *in4 = reinterpret_cast<const uint4 *>(in); // aligned to 256 bytes
  const size_t n4 = n / 4;
  Value sum = 0;
  for (; i + 3 * threads < n4; i += 4 * threads)
    sum += components(__ldcs(in4 + i)) + components(__ldcs(in4 + i + threads)) +
           components(__ldcs(in4 + i + 2 * threads)) + components(__ldcs(in4 + i + 3 * threads));
  // What is left of the last round: again all loads first, each with its own test.
  const uint4 none = {};
  const uint4 a = i < n4 ? __ldcs(in4 + i) : none;
  const uint4 b = i + threads < n4 ? __ldcs(in4 + i + threads) : none;
  const uint4 c = i + 2 * threads < n4 ? __ldcs(in4 + i + 2 * threads) : none;
  sum += components(a) + components(b) + components(c);
  if (blockIdx.x == 0 && tid < n % 4) // the 0 to 3 elements after the last uint4
    sum += in[4 * n4 + tid];

  sum = warp_sum(sum);
  if (lane == 0)
    s_data[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? s_data[lane] : 0);
    if (lane == 0)
      atomicAdd(out, sum);
  }
}

inline void run(Reduction &p) {
  const unsigned grid = blocks_to_fill(p.n, p.block);
  LAB_CHECK(cudaMemsetAsync(p.d_out.data(), 0, sizeof(Value)));
  reduce<<<grid, p.block>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v11
