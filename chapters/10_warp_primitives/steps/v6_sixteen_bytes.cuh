// Was:   4 bytes per load, one load per thread, and a look back for every 256 elements.
// Now:   16 bytes per load and four loads per thread: a tile is 16 times as large.
// Watch: blocks launched, and so looks back: a sixteenth. Instructions of warps: a fraction.
#pragma once

#include "problem.hpp"
#include "steps/four_at_once.cuh"
#include "steps/tile_states.cuh"
#include "steps/warp_scan.cuh"

namespace v6 {

constexpr unsigned per_thread = 4; // uint4: 16 elements

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
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned tile = draw_tile(words);
  // A warp has 32 * per_thread uint4 in a row; in each turn its lanes take 32 of them.
  const size_t first = (static_cast<size_t>(tile) * blockDim.x + warp * 32) * per_thread + lane;
  uint4 v[per_thread];
  load_turns(in, n, first, v);
  Value sum = 0; // of this warp, in the turns so far
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k) {
    v[k] = scan_four(v[k]);
    const Value up_to_here = warp_scan(v[k].w);
    v[k] = add_to_four(v[k], sum + up_to_here - v[k].w);
    sum += __shfl_sync(all_lanes, up_to_here, 31);
  }
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

  const Value before_warp = s_before + (warp > 0 ? s_sums[warp - 1] : 0);
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    v[k] = add_to_four(v[k], before_warp);
  store_turns(out, n, first, v);
}

inline void run(Scan &p) {
  const unsigned tiles = blocks_for(p.n, p.block * 4 * per_thread);
  forget_tiles(p, tiles);
  scan_tiles<<<tiles, p.block>>>(p.d_in.data(), p.n, p.d_out.data(), p.d_words.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v6
