// Was:   every round of a scan went through shared memory, and all warps waited at its barriers.
// Now:   a warp scans its 32 values by five shuffles; then the warps' sums are scanned by one warp.
// Watch: barriers: 2, whatever the block. Requests to shared memory: a few per warp.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

namespace v2 {

__global__ void scan_tiles(const Value *in, size_t n, Value *out, Value *sums) {
  __shared__ Value s_sums[32]; // one per warp
  const unsigned tid = threadIdx.x;
  const unsigned lane = tid % 32;
  const unsigned warp = tid / 32;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;
  Value sum = warp_scan(i < n ? in[i] : 0);
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    const Value of_warps = warp_scan(lane < blockDim.x / 32 ? s_sums[lane] : 0);
    s_sums[lane] = of_warps;
  }
  __syncthreads();

  if (warp > 0)
    sum += s_sums[warp - 1];
  if (i < n)
    out[i] = sum;
  if (tid == blockDim.x - 1)
    sums[blockIdx.x] = sum;
}

// sums[t]: the sum of tiles 0 to t.
__global__ void add_sums(const Value *sums, size_t n, Value *out) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n)
    out[i] += sums[blockIdx.x - 1];
}

inline void run(Scan &p) {
  const auto scan = [&](unsigned tiles, const Value *in, size_t n, Value *out, Value *sums) {
    scan_tiles<<<tiles, p.block>>>(in, n, out, sums);
  };
  const auto add = [&](unsigned tiles, const Value *sums, size_t n, Value *out) {
    add_sums<<<tiles, p.block>>>(sums, n, out);
  };
  scan_by_levels(p.d_in.data(), p.n, p.d_out.data(), p.d_sums.data(), p.block, scan, add);
}

} // namespace v2
