// Was:   one thread walked from tile to tile, and each look took a trip to memory.
// Now:   a warp looks at 32 tiles at a time: a ballot finds the nearest that knows all before it.
// Watch: threads per instruction: the look takes all lanes instead of one. The walk is a 32nd as long.
#pragma once

#include "problem.hpp"
#include "steps/tile_states.cuh"
#include "steps/warp_scan.cuh"

namespace v5 {

// The sum of all tiles before this one, which has the sum `own`. All lanes of one warp call.
__device__ inline Value look_back(unsigned long long *states, unsigned tile, Value own) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  Value before = 0;
  if (tile > 0) {
    if (lane == 0)
      tell(states[tile], {own_sum, own});
    TileState window = {unknown, 0};
    for (int t = static_cast<int>(tile) - 1 - lane; window.status != sum_so_far; t -= 32) {
      const TileState nothing = {sum_so_far, 0}; // that is what lies before the first tile
      window = add_up_warp(t >= 0 ? wait_for(states[t]) : nothing);
      before += window.sum;
    }
  }
  if (lane == 0)
    tell(states[tile], {sum_so_far, before + own});
  return before;
}

__global__ void scan_tiles(const Value *in, size_t n, Value *out, unsigned long long *words) {
  __shared__ Value s_sums[32]; // one per warp
  __shared__ Value s_before;
  const unsigned tid = threadIdx.x;
  const unsigned lane = tid % 32;
  const unsigned warp = tid / 32;
  const unsigned tile = draw_tile(words);
  const size_t i = static_cast<size_t>(tile) * blockDim.x + tid;
  Value sum = warp_scan(i < n ? in[i] : 0);
  if (lane == 31)
    s_sums[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    const Value of_warps = warp_scan(lane < blockDim.x / 32 ? s_sums[lane] : 0);
    s_sums[lane] = of_warps;
    const Value before = look_back(words + 1, tile, __shfl_sync(all_lanes, of_warps, 31));
    if (lane == 0)
      s_before = before;
  }
  __syncthreads();

  if (warp > 0)
    sum += s_sums[warp - 1];
  if (i < n)
    out[i] = s_before + sum;
}

inline void run(Scan &p) {
  const unsigned tiles = blocks_for(p.n, p.block);
  forget_tiles(p, tiles);
  scan_tiles<<<tiles, p.block>>>(p.d_in.data(), p.n, p.d_out.data(), p.d_words.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v5
