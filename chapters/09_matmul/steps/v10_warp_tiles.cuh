// Was:   a warp's 32 pieces of 8 x 8 results lay in two rows of 16: lanes met in banks of s_B.
// Now:   a warp takes 32 x 64 results; its lanes, 4 x 8 of them, take pieces of 4 x 4 side by side.
// Watch: wavefronts per load from shared memory: two instead of five.
#pragma once

#include "steps/async_tiles.cuh"

namespace v10 {

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
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage)
    order(stage, stage * DEPTH);
  for (int k0 = 0, stage = 0; k0 < m.K; k0 += DEPTH) {
    __pipeline_wait_prior(STAGES - 2); // my share of this stage has come
    __syncthreads(); // and everybody's; and nobody needs the stage before any more
    order(stage == 0 ? STAGES - 1 : stage - 1, k0 + (STAGES - 1) * DEPTH);
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      float a[MINE], b[MINE];
#pragma unroll
      for (int i = 0; i < MINE; i += 4) {
        load4(&a[i], &s_A[stage][k][my_row + i * 4]);
        load4(&b[i], &s_B[stage][k][my_col + i * 8]);
      }
#pragma unroll
      for (int i = 0; i < MINE; ++i)
#pragma unroll
        for (int j = 0; j < MINE; ++j)
          sum[i][j] += a[i] * b[j];
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
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

} // namespace v10
