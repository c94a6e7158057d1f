// Was:   one warp looked back, and the block waited for it. Small tiles: many to look at.
// Now:   32 elements per thread, 32 K per block of 1024; eight warps look at 256 tiles at once.
// Watch: blocks launched: an eighth again. Registers per thread: the price.
#pragma once

#include "problem.hpp"
#include "steps/block_look_back.cuh"
#include "steps/four_at_once.cuh"
#include "steps/tile_states.cuh"
#include "steps/warp_scan.cuh"

namespace v7 {

constexpr unsigned per_thread = 8; // uint4: 32 elements

__global__ void __launch_bounds__(1024)
    scan_tiles(const Value *in, size_t n, Value *out, unsigned long long *words) {
  __shared__ Value s_sums[32]; // one per warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
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

  // Every warp adds up all of them: no second barrier, and nobody waits for a first warp.
  const Value of_warp = lane < blockDim.x / 32 ? s_sums[lane] : 0;
  const Value own = warp_sum(of_warp);
  if (threadIdx.x == 0)
    tell(words[1 + tile], {tile > 0 ? own_sum : sum_so_far, own});
  const Value before_warp =
      warp_sum(lane < warp ? of_warp : 0) + look_back_as_block(words + 1, tile, own);
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

} // namespace v7
