// Was:   a lane stored one float of every four: a store filled a quarter of each of 16 sectors.
// Now:   a warp's results go through shared memory; its lanes store whole rows of 128 bytes.
// Watch: sectors per store.
#pragma once

#include "steps/steps.hpp"
#include "steps/v16_two_groups.cuh"

namespace v17 {

template <class T> __global__ void __launch_bounds__(T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  __shared__ RowsOfWarp s_rows[BLOCK / 32];
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS); // in the tile
  const int warp_col = warp % T::WARPS_ABREAST * (8 * MY_COLS);
  const int my_row = warp_row + lane_row(lane) * 4, my_col = warp_col + lane_col(lane) * 4;
  PlainSum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  multiply<T>(sum, s_A, s_B, walk, (m.K + DEPTH - 1) / DEPTH, my_row, my_col);
  const Place from = {static_cast<int>(blockIdx.y) * ROWS, static_cast<int>(blockIdx.x) * COLS};
  store_rows<T>(sum, s_rows[warp], m, {row0 + warp_row, col0 + warp_col}, from);
}

inline void run(Matmul &p) {
  using T = v15::Wide;
  const dim3 tiles = grid_of_tiles(p.plain.N, T::COLS, p.plain.M, T::ROWS);
  if (!fits<T>(p.plain) || 2 * int(tiles.x * tiles.y) < lab::choose_device().sm_count)
    return v16::run(p);
  matmul<T><<<tiles, T::BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace v17
