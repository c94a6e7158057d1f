// Was:   at 1000 x 1000 there are 32 tiles of 128 x 256: a hundred multiprocessors stand idle.
// Now:   the same kernel for any shape of tile and any way of adding up; small tiles where few fit.
// Watch: blocks in the grid.
#pragma once

#include "steps.hpp"
#include "tile.cuh"

namespace v14 {

template <class T, class Sum>
__global__ void __launch_bounds__(T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = tid % 32, warp = tid / 32;
  const int my_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS) + lane_row(lane) * 4; // in the tile
  const int my_col = warp % T::WARPS_ABREAST * (8 * MY_COLS) + lane_col(lane) * 4;
  Sum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  float a[2][MY_ROWS], b[2][MY_COLS]; // of this k and of the next
  const auto load = [&](int into, int stage, int k) {
#pragma unroll
    for (int i = 0; i < MY_ROWS; i += 4)
      load4(&a[into][i], &s_A[stage][k][my_row + i * 4]);
#pragma unroll
    for (int j = 0; j < MY_COLS; j += 4)
      load4(&b[into][j], &s_B[stage][k][my_col + j * 8]);
  };
  __pipeline_wait_prior(STAGES - 2); // my share of the first stage has come
  __syncthreads(); // and everybody's
  load(0, 0, 0);
  for (int k0 = 0, stage = 0, next = STAGES - 1; k0 < m.K; k0 += DEPTH) {
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      if (k == DEPTH - 1) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the next stage is there, and nobody needs this one any more
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      load((k + 1) % 2, stage, (k + 1) % DEPTH);
      if (k == 0) {
        walk.copy(s_A[next], s_B[next]);
        next = next == STAGES - 1 ? 0 : next + 1;
      }
      add_products<T>(sum, a[k % 2], b[k % 2]);
    }
    if (Sum::end_of_tile(k0 / DEPTH))
      settle<T>(sum);
  }
  store<T>(sum, m.C, m.ldc, row0 + my_row, col0 + my_col, blockIdx.y * ROWS, blockIdx.x * COLS);
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

} // namespace v14
