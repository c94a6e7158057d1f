// Was:   one sum after the other on the host: each needs the one before it.
// Now:   a thread for each element; in every round it adds the sum that lies 1, 2, 4, 8 … to the left.
// Watch: barriers: two in each of log2(block) rounds, and one more. Instructions of warps.
#pragma once

#include "problem.hpp"

namespace v0 {

__global__ void scan_tiles(const Value *in, size_t n, Value *out, Value *sums) {
  extern __shared__ Value s_data[]; // one per thread
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    const Value left = tid >= offset ? s_data[tid - offset] : 0;
    __syncthreads(); // nobody writes before all have read
    s_data[tid] += left;
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

} // namespace v0
