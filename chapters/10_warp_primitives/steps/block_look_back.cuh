// A whole block looks at the tiles before its own.
#pragma once

#include "problem.hpp"
#include "steps/tile_states.cuh"

// The sum of all tiles before this one, which has told its sum `own`. All threads of the block call;
// up to 256 of them look, at more tiles than are under way at a time.
__device__ inline Value look_back_as_block(unsigned long long *states, unsigned tile, Value own) {
  __shared__ unsigned s_status[8]; // one for each warp that looks, and so
  __shared__ Value s_sum[8];
  const unsigned lane = threadIdx.x % 32;
  const unsigned lookers = blockDim.x < 256 ? blockDim.x : 256;
  Value before = 0;
  for (int t = static_cast<int>(tile - 1 - threadIdx.x);; t -= static_cast<int>(lookers)) {
    if (threadIdx.x < lookers) {
      const TileState nothing = {sum_so_far, 0}; // that is what lies before the first tile
      const TileState window = add_up_warp(t >= 0 ? wait_for(states[t]) : nothing);
      if (lane == 0) {
        s_status[threadIdx.x / 32] = window.status;
        s_sum[threadIdx.x / 32] = window.sum;
      }
    }
    __syncthreads();
    const bool is_window = lane < lookers / 32;
    const TileState all =
        add_up_warp({is_window ? s_status[lane] : own_sum, is_window ? s_sum[lane] : 0});
    before += all.sum;
    if (all.status == sum_so_far)
      break;
    __syncthreads(); // all have read
  }
  if (threadIdx.x == 0 && tile > 0)
    tell(states[tile], {sum_so_far, before + own});
  return before;
}
