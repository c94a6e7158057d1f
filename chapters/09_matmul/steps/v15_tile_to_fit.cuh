// Was:   at 1000 x 1000 there are 32 tiles of 128 x 256: a hundred multiprocessors stand idle.
// Now:   the same kernel for any shape of tile and any way of adding up; small tiles where few fit.
// Watch: blocks of the grid at n = 1000; and that nothing is lost at n = 4096.
#pragma once

#include "steps/steps.hpp"
#include "steps/tile.cuh"

namespace v15 {

template <class T, class Sum>
__global__ void __launch_bounds__(T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS); // in the tile
  const int warp_col = warp % T::WARPS_ABREAST * (8 * MY_COLS);
  const int my_row = warp_row + lane_row(lane) * 4, my_col = warp_col + lane_col(lane) * 4;
  Sum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  multiply<T>(sum, s_A, s_B, walk, (m.K + DEPTH - 1) / DEPTH, my_row, my_col);
  const Place from = {static_cast<int>(blockIdx.y) * ROWS, static_cast<int>(blockIdx.x) * COLS};
  store<T>(sum, m, {row0 + my_row, col0 + my_col}, from);
}

template <class T, class Sum> void launch(const Operands &m) {
  matmul<T, Sum><<<grid_of_tiles(m.N, T::COLS, m.M, T::ROWS), T::BLOCK>>>(m);
  LAB_CHECK_LAUNCH();
}

using Wide = Tile<128, 256, 8, 16, 3, 1>;
using Small = Tile<64, 128, 4, 8, 3, 1>;

inline void run(Matmul &p) {
  const dim3 wide = grid_of_tiles(p.plain.N, Wide::COLS, p.plain.M, Wide::ROWS);
  if (fits<Wide>(p.plain) && 2 * int(wide.x * wide.y) >= lab::choose_device().sm_count)
    launch<Wide, PlainSum>(p.plain);
  else if (fits<Small>(p.plain))
    launch<Small, PlainSum>(p.plain);
  else
    run_any_shape(p);
}

} // namespace v15
