// Was:   n log2(block) additions: many more than the n that a loop makes.
// Now:   up a tree of sums and down again: 2 n additions at most, as Brent and Kung do.
// Watch: wavefronts per shared request, as strides of 2, 4, 8 … meet in few banks. Instructions of warps.
#pragma once

#include "problem.hpp"

namespace v1 {

__global__ void scan_tiles(const Value *in, size_t n, Value *out, Value *sums) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();

  // Up: the last word of each group of 2, 4, 8 … becomes the sum of its group.
  for (unsigned half = 1; half < blockDim.x; half *= 2) {
    const unsigned last = (tid + 1) * 2 * half - 1;
    if (last < blockDim.x)
      s_data[last] += s_data[last - half];
    __syncthreads();
  }
  // Down: what lies before a group is added to the last word of the group's first half.
  for (unsigned half = blockDim.x / 4; half > 0; half /= 2) {
    const unsigned last = (tid + 1) * 2 * half - 1;
    if (last + half < blockDim.x)
      s_data[last + half] += s_data[last];
    __syncthreads();
  }

  if (i < n)
    out[i] = s_data[tid];
  if (tid == blockDim.x - 1)
    sums[blockIdx.x] = s_data[tid];
}

// sums[t]: the sum of tiles 0 to t.
__global__ void add_sums(const Value *sums, size_t n, Value *out) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n)
    out[i] += sums[blockIdx.x - 1];
}

inline void run(Scan &p) {
  const auto scan = [&](unsigned tiles, const Value *in, size_t n, Value *out, Value *sums) {
    scan_tiles<<<tiles, p.block, p.block * sizeof(Value)>>>(in, n, out, sums);
  };
  const auto add = [&](unsigned tiles, const Value *sums, size_t n, Value *out) {
    add_sums<<<tiles, p.block>>>(sums, n, out);
  };
  scan_by_levels(p.d_in.data(), p.n, p.d_out.data(), p.d_sums.data(), p.block, scan, add);
}

} // namespace v1
