// Was:   a tree for every pair of loads: barriers, and a block to start, for two adds per thread.
// Now:   as many blocks as fit at a time; each thread adds up its share, four loads at a time, then
//        one tree per block.
// Watch: blocks launched: no more than fit. Instructions: what is left is mostly loads.
#pragma once

#include "problem.hpp"

namespace v6 {

template <unsigned BLOCK> __global__ void reduce(const Value *in, size_t n, Value *out) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t threads = static_cast<size_t>(gridDim.x) * BLOCK; // in the whole grid
  size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + tid;
  Value sum = 0;
  for (; i + 3 * threads < n; i += 4 * threads)
    sum += in[i] + in[i + threads] + in[i + 2 * threads] + in[i + 3 * threads];
  for (; i < n; i += threads)
    sum += in[i];
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
  const auto blocks = [&](size_t n) { return blocks_to_fill(n, p.block); };
  const auto launch = [&](unsigned grid, const Value *in, size_t n, Value *out) {
    kernel<<<grid, p.block, p.block * sizeof(Value)>>>(in, n, out);
  };
  reduce_by_levels(p, p.d_in.data(), blocks, launch);
}

} // namespace v6
