// Was:   loop counters and branches on a block size that never changes while the kernel runs.
// Now:   the block size is a template parameter: the compiler unrolls every round.
// Watch: instructions: fewer. The loads from memory are what they were.
#pragma once

#include "problem.hpp"

namespace v5 {

template <unsigned BLOCK> __global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * (2 * blockDim.x) + tid;
  Value sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n)
    sum += in[i + blockDim.x];
  s_data[tid] = sum;
  __syncthreads();

#pragma unroll
  for (unsigned stride = BLOCK / 2; stride > 32; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  if (tid < 32) {
    if (BLOCK >= 64)
      s_data[tid] += s_data[tid + 32];
    __syncwarp(); // the lanes of a warp need not run in step: order them wherever they exchange
#pragma unroll
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      if (tid < stride)
        s_data[tid] += s_data[tid + stride];
      __syncwarp();
    }
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

inline void run(Reduction &p) {
  const Kernel kernel = kernel_for(
      p.block, {reduce<32>, reduce<64>, reduce<128>, reduce<256>, reduce<512>, reduce<1024>});
  const auto blocks = [&](size_t n) { return blocks_for(n, 2 * p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    kernel<<<grid, p.block, p.block * sizeof(Value)>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

} // namespace v5
