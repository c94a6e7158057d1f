// Was:   with a small tile per multiprocessor there are 8 warps, each with 4 x 8 results per thread.
// Now:   two groups of warps share the tile; each has 8 x 8 results per thread, of half of the k.
// Watch: the time at n = 1000, and requests to shared memory.
#pragma once

#include "steps/steps.hpp"
#include "steps/v15_tile_to_fit.cuh"
#include "steps/whole_rows.cuh"

namespace v16 {

template <class T> __global__ void __launch_bounds__(2 * T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = 2 * T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS;
  __shared__ alignas(16) TileMemory<T> s_memory;
  auto &s_A = s_memory.tiles.A;
  auto &s_B = s_memory.tiles.B;
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % T::BLOCK / 32;
  const int warp_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS); // in the tile
  const int warp_col = warp % T::WARPS_ABREAST * (8 * MY_COLS);
  const int my_row = warp_row + lane_row(lane) * 4, my_col = warp_col + lane_col(lane) * 4;
  PlainSum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  multiply<T, 2>(sum, s_A, s_B, walk, (m.K + DEPTH - 1) / DEPTH, my_row, my_col);
  __pipeline_wait_prior(0);
  __syncthreads(); // nobody needs the tiles of A and B any more
  const Place from = {static_cast<int>(blockIdx.y) * ROWS, static_cast<int>(blockIdx.x) * COLS};
  join_and_store<T>(sum, s_memory.C, m, {row0, col0}, {my_row, my_col}, from);
}

using Shared = Tile<64, 128, 8, 8, 3, 1, 16>;

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  const dim3 grid = grid_of_tiles(m.N, Shared::COLS, m.M, Shared::ROWS);
  if (!fits<Shared>(m) || int(grid.x * grid.y) > lab::choose_device().sm_count)
    return v15::run(p);
  matmul<Shared><<<grid, 2 * Shared::BLOCK>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace v16
