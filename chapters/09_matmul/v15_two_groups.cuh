// Was:   in a small product a multiprocessor has one tile: 8 warps that wait, with few results each.
// Now:   two groups of warps share the tile; each has 8 x 8 results a thread, of half of the k's.
// Watch: requests to shared memory: fewer. The groups add up there, and all store whole rows.
#pragma once

#include "steps.hpp"
#include "tile.cuh"
#include "v14_tile_to_fit.cuh"

namespace v15 {

template <class T> __global__ void __launch_bounds__(2 * T::BLOCK, T::PER_SM) matmul(Operands m) {
  constexpr int ROWS = T::ROWS, COLS = T::COLS, DEPTH = T::DEPTH, BLOCK = 2 * T::BLOCK;
  constexpr int MY_ROWS = T::MY_ROWS, MY_COLS = T::MY_COLS, STAGES = T::STAGES;
  __shared__ alignas(16) TileMemory<T> s_memory;
  auto &s_A = s_memory.tiles.A;
  auto &s_B = s_memory.tiles.B;
  const int tid = threadIdx.x;
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = tid % 32, group = tid / T::BLOCK, warp = tid % T::BLOCK / 32;
  const int my_row = warp / T::WARPS_ABREAST * (4 * MY_ROWS) + lane_row(lane) * 4; // in the tile
  const int my_col = warp % T::WARPS_ABREAST * (8 * MY_COLS) + lane_col(lane) * 4;
  PlainSum sum[MY_ROWS][MY_COLS] = {};
  TileWalk<ROWS, COLS, DEPTH, BLOCK> walk(m, row0, col0);
  walk.begin(s_A, s_B);
  float a[2][MY_ROWS], b[2][MY_COLS]; // of this k and of the next
  const auto load = [&](int into, int stage, int i_k) {
    const int k = group * (DEPTH / 2) + i_k; // the first group has the first half
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
    for (int k = 0; k < DEPTH / 2; ++k) {
      if (k == DEPTH / 2 - 1) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the next stage is there, and nobody needs this one any more
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      load((k + 1) % 2, stage, (k + 1) % (DEPTH / 2));
      if (k == 1) {
        walk.copy(s_A[next], s_B[next]);
        next = next == STAGES - 1 ? 0 : next + 1;
      }
      add_products<T>(sum, a[k % 2], b[k % 2]);
    }
  }
  __pipeline_wait_prior(0);
  __syncthreads(); // nobody needs the tiles of A and B any more
  join_and_store<T>(sum, s_memory.C, m, row0, col0);
}

using Shared = Tile<64, 128, 8, 8, 3, 1, 16>;

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  const dim3 grid = grid_of_tiles(m.N, Shared::COLS, m.M, Shared::ROWS);
  if (!fits<Shared>(m) || int(grid.x * grid.y) > lab::choose_device().sm_count)
    return v14::run(p);
  matmul<Shared><<<grid, 2 * Shared::BLOCK>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace v15
