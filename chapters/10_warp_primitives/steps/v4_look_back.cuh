// Was:   the sums of the tiles had to be known before any tile was scanned: everything read twice.
// Now:   one launch. Each tile tells its sum, then looks back at its neighbours until it knows all.
// Watch: instructions per cycle, and what the warps wait for. Each element is read once and written once.
#pragma once

#include "problem.hpp"
#include "steps/tile_states.cuh"
#include "steps/warp_scan.cuh"

namespace v4 {

// The sum of all tiles before this one, which has the sum `own`.
__device__ inline Value look_back(unsigned long long *states, unsigned tile, Value own) {
  Value before = 0;
  if (tile > 0) {
    tell(states[tile], {own_sum, own});
    TileState neighbour = {unknown, 0};
    for (unsigned t = tile; neighbour.status != sum_so_far;) {
      neighbour = wait_for(states[--t]);
      before += neighbour.sum;
    }
  }
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
    if (lane == 31)
      s_before = look_back(words + 1, tile, of_warps);
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

} // namespace v4
