// Was:   scan, write, read again, add, write again: four trips to memory for each element.
// Now:   first only the tiles' sums; then each tile is scanned once, beginning where it has to.
// Watch: requests that store: half as many. Three trips are left.
#pragma once

#include "problem.hpp"
#include "steps/warp_scan.cuh"

namespace v3 {

__global__ void sum_tiles(const Value *in, size_t n, Value *sums) {
  __shared__ Value s_sums[32]; // one per warp
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Value sum = warp_sum(i < n ? in[i] : 0);
  if (lane == 0)
    s_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? s_sums[lane] : 0);
    if (lane == 0)
      sums[blockIdx.x] = sum;
  }
}

// sums[t]: the sum of tiles 0 to t.
__global__ void scan_tiles(const Value *in, size_t n, Value *out, const Value *sums) {
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
  if (blockIdx.x > 0)
    sum += sums[blockIdx.x - 1];
  if (i < n)
    out[i] = sum;
}

// The sums are scanned in the same way, in place.
inline void scan(const Value *in, size_t n, Value *out, Value *sums, int block) {
  const unsigned tiles = blocks_for(n, block);
  if (tiles > 1) {
    sum_tiles<<<tiles, block>>>(in, n, sums);
    LAB_CHECK_LAUNCH();
    scan(sums, tiles, sums, sums + tiles, block);
  }
  scan_tiles<<<tiles, block>>>(in, n, out, sums);
  LAB_CHECK_LAUNCH();
}

inline void run(Scan &p) { scan(p.d_in.data(), p.n, p.d_out.data(), p.d_sums.data(), p.block); }

} // namespace v3
