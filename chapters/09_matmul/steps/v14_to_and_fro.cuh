// Was:   row after row, most multiply-adds read three registers that the one before did not.
// Now:   strips of 4 columns, to and fro: one operand is the one that was read just before.
// Watch: the share of peak of the multiply-add units.
#pragma once

#include "steps/inner_tiles.cuh"
#include "steps/steps.hpp"

namespace v14 {

constexpr int ROWS = 128, COLS = 256, DEPTH = 8; // of the tiles
constexpr int MY_ROWS = 8, MY_COLS = 16; // results of a thread
constexpr int BLOCK = ROWS * COLS / (MY_ROWS * MY_COLS); // threads
constexpr int STAGES = 3; // pairs of tiles: one in use, two on their way

__global__ void __launch_bounds__(BLOCK, 1) matmul(Operands m) {
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  const int row_end = min(m.M, static_cast<int>(blockIdx.y + 1) * ROWS), row0 = row_end - ROWS;
  const int col_end = min(m.N, static_cast<int>(blockIdx.x + 1) * COLS), col0 = col_end - COLS;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int my_row = warp / 2 * 32 + lane_row(lane) * 4; // in the tile; and 16 rows further down
  const int my_col = warp % 2 * 128 + lane_col(lane) * 4; // and 32 columns further right
  float sum[MY_ROWS][MY_COLS] = {};
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
#pragma unroll
      for (int strip = 0; strip < MY_COLS; strip += 4)
#pragma unroll
        for (int i = 0; i < MY_ROWS; ++i)
#pragma unroll
          for (int x = 0; x < 4; ++x) {
            const int j = strip + (i % 2 == 0 ? x : 3 - x); // to and fro
            sum[i][j] += a[k % 2][i] * b[k % 2][j];
          }
    }
  }
#pragma unroll
  for (int i = 0; i < MY_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < MY_COLS; ++j) {
      const int row = row0 + my_row + i / 4 * 16 + i % 4, col = col0 + my_col + j / 4 * 32 + j % 4;
      if (row >= static_cast<int>(blockIdx.y) * ROWS && col >= static_cast<int>(blockIdx.x) * COLS)
        m.C[row * m.ldc + col] = sum[i][j];
    }
}

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  if (m.M < ROWS || m.N < COLS || m.K < STAGES * DEPTH || m.N % 4 != 0 || m.ldb % 4 != 0)
    return run_any_shape(p);
  matmul<<<grid_of_tiles(m.N, COLS, m.M, ROWS), BLOCK>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace v14
