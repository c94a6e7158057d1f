// Was:   an element of A was still loaded for each single multiply-add.
// Now:   a thread computes 8 x 8 results: 16 loads serve 64 multiply-adds.
// Watch: shared memory: 16 requests, but 24 wavefronts, for 64 multiply-adds; it was 72.
#pragma once

#include "problem.hpp"

namespace v7 {

constexpr int ROWS = 128, COLS = 128, DEPTH = 8; // of the tiles
constexpr int MINE = 8; // a thread has MINE x MINE results
constexpr int BLOCK = ROWS * COLS / (MINE * MINE); // threads
constexpr int APART = COLS / MINE; // columns from one result of a thread to its next

__global__ void __launch_bounds__(BLOCK) matmul(Operands m) {
  __shared__ float s_A[ROWS][DEPTH], s_B[DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int my_row = tid / APART * MINE, my_col = tid % APART; // in the tile
  float sum[MINE][MINE] = {};
  for (int k0 = 0; k0 < m.K; k0 += DEPTH) {
#pragma unroll
    for (int i = tid; i < ROWS * DEPTH; i += BLOCK) {
      const int row = row0 + i / DEPTH, k = k0 + i % DEPTH;
      s_A[i / DEPTH][i % DEPTH] = row < m.M && k < m.K ? m.A[row * m.lda + k] : 0.0f;
    }
#pragma unroll
    for (int i = tid; i < DEPTH * COLS; i += BLOCK) {
      const int k = k0 + i / COLS, col = col0 + i % COLS;
      s_B[i / COLS][i % COLS] = k < m.K && col < m.N ? m.B[k * m.ldb + col] : 0.0f;
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < DEPTH; ++k) {
      float a[MINE], b[MINE];
#pragma unroll
      for (int i = 0; i < MINE; ++i) {
        a[i] = s_A[my_row + i][k];
        b[i] = s_B[k][my_col + i * APART];
      }
#pragma unroll
      for (int i = 0; i < MINE; ++i)
#pragma unroll
        for (int j = 0; j < MINE; ++j)
          sum[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MINE; ++i)
#pragma unroll
    for (int j = 0; j < MINE; ++j)
      if (row0 + my_row + i < m.M && col0 + my_col + j * APART < m.N)
        m.C[(row0 + my_row + i) * m.ldc + col0 + my_col + j * APART] = sum[i][j];
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, COLS, p.plain.M, ROWS), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace v7
