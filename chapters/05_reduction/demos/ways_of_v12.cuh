// Two ways to ask for less, which gain nothing here: one instruction for the sum of a warp, and a limit
// to the registers.
#pragma once

#include "demos/ways.hpp"

namespace ways_of_v12 {

// All five shuffles in one instruction. For unsigned and int, from compute capability 8.0 on.
__device__ inline Value sum_in_one_instruction(Value sum) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, sum);
#else
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum;
#endif
}

// v7 with sum_in_one_instruction().
__global__ void reduce_in_one(const Value *in, size_t n, Value *out) {
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

  sum = sum_in_one_instruction(sum);
  if (lane == 0)
    s_data[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = sum_in_one_instruction(lane < blockDim.x / 32 ? s_data[lane] : 0);
    if (lane == 0)
      out[blockIdx.x] = sum;
  }
}

inline void one_instruction(Reduction &p) {
  const auto blocks = [&](size_t n) { return blocks_to_fill(n, p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    reduce_in_one<<<grid, p.block>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

inline std::vector<Way> all() {
  return {{"shuffles", "v7: five shuffles", ways_of_shares()[1].run, read_input_once},
          {"one_instruction", "v7 with __reduce_add_sync()", one_instruction, read_input_once}};
}

} // namespace ways_of_v12
