// Was:   multiply-adds waited for the loads from shared memory just before them.
// Now:   the operands of the next k are loaded while those of this k are multiplied.
// Watch: the first two reasons for which warps wait.
#pragma once

#include "steps/async_tiles.cuh"

namespace v11 {

constexpr int ROWS = 128, COLS = 128, DEPTH = 8; // of the tiles
constexpr int MINE = 8; // a thread has MINE x MINE results
constexpr int BLOCK = ROWS * COLS / (MINE * MINE); // threads
constexpr int STAGES = 3; // pairs of tiles: one in use, two on their way

__global__ void __launch_bounds__(BLOCK) matmul(Operands m) {
  __shared__ alignas(16) float s_A[STAGES][DEPTH][ROWS + 4], s_B[STAGES][DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int lane = tid % 32, warp = tid / 32;
  const int my_row = warp / 2 * 32 + lane_row(lane) * 4; // in the tile; and 16 rows further down
  const int my_col = warp % 2 * 64 + lane_col(lane) * 4; // and 32 columns further right
  float sum[MINE][MINE] = {};
  const auto order = [&](int stage, int k0) {
    copy_A<ROWS, DEPTH, BLOCK>(s_A[stage], m, row0, k0);
    copy_B<COLS, DEPTH, BLOCK>(s_B[stage], m, k0, col0);
    __pipeline_commit();
  };
  float a[2][MINE], b[2][MINE]; // of this k and of the next
  const auto load = [&](int into, int stage, int k) {
#pragma unroll
    for (int i = 0; i < MINE; i += 4) {
      load4(&a[into][i], &s_A[stage][k][my_row + i * 4]);
      load4(&b[into][i], &s_B[stage][k][my_col + i * 8]);
    }
  };
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage)
    order(stage, stage * DEPTH);
  __pipeline_wait_prior(STAGES - 2); // my share of the first stage has come
  __syncthreads(); // and everybody's
  load(0, 0, 0);
  for (int k0 = 0, stage = 0; k0 < m.K; k0 += DEPTH) {
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      if (k == 0)
        order(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * DEPTH);
      if (k == DEPTH - 1) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the next stage is there, and nobody needs this one any more
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      load((k + 1) % 2, stage, (k + 1) % DEPTH);
#pragma unroll
      for (int i = 0; i < MINE; ++i)
#pragma unroll
        for (int j = 0; j < MINE; ++j)
          sum[i][j] += a[k % 2][i] * b[k % 2][j];
    }
  }
#pragma unroll
  for (int i = 0; i < MINE; ++i)
#pragma unroll
    for (int j = 0; j < MINE; ++j) {
      const int row = row0 + my_row + i / 4 * 16 + i % 4, col = col0 + my_col + j / 4 * 32 + j % 4;
      if (row < m.M && col < m.N)
        m.C[row * m.ldc + col] = sum[i][j];
    }
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, COLS, p.plain.M, ROWS), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace v11
