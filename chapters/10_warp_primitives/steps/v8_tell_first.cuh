// Was:   a tile told its sum after all its shuffles, and every later tile waited for that.
// Now:   the sum first: it takes one reduction. Told, the tile is scanned while the others look.
// Watch: instructions of warps: a few more. What gets shorter is the wait at the barrier.
#pragma once

#include "problem.hpp"
#include "steps/block_look_back.cuh"
#include "steps/four_at_once.cuh"
#include "steps/tile_states.cuh"
#include "steps/warp_scan.cuh"

namespace v8 {

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
  Value sum = 0; // of this thread
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  const Value of_my_warp = warp_sum(sum);
  if (lane == 0)
    s_sums[warp] = of_my_warp;
  __syncthreads();

  // Every warp adds up all of them: no second barrier, and nobody waits for a first warp.
  const Value of_warp = lane < blockDim.x / 32 ? s_sums[lane] : 0;
  const Value own = warp_sum(of_warp);
  if (threadIdx.x == 0)
    tell(words[1 + tile], {tile > 0 ? own_sum : sum_so_far, own});
  sum = warp_sum(lane < warp ? of_warp : 0); // of the warps before, and then of the turns so far
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k) {
    v[k] = scan_four(v[k]);
    const Value up_to_here = warp_scan(v[k].w);
    v[k] = add_to_four(v[k], sum + up_to_here - v[k].w);
    sum += __shfl_sync(all_lanes, up_to_here, 31);
  }
  const Value before = look_back_as_block(words + 1, tile, own);
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    v[k] = add_to_four(v[k], before);
  store_turns(out, n, first, v);
}

inline void run(Scan &p) {
  const unsigned tiles = blocks_for(p.n, p.block * 4 * per_thread);
  forget_tiles(p, tiles);
  scan_tiles<<<tiles, p.block>>>(p.d_in.data(), p.n, p.d_out.data(), p.d_words.data());
  LAB_CHECK_LAUNCH();
}

} // namespace v8
