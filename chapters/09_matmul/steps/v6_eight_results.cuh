// Was:   (v4) eight instructions for one multiply-add, two of them loads from shared memory.
// Now:   a thread computes eight results of a column: an element of B serves all of them.
// Watch: requests to shared memory: nine for eight multiply-adds, not sixteen.
#pragma once

#include "problem.hpp"

namespace v6 {

constexpr int ROWS = 64, COLS = 64, DEPTH = 8; // of the tiles: A's is ROWS x DEPTH, C's ROWS x COLS
constexpr int MINE = 8; // results of a thread, one below the other
constexpr int BLOCK = ROWS * COLS / MINE; // threads
static_assert(BLOCK == ROWS * DEPTH && BLOCK == DEPTH * COLS, "each loads one element of A and B");

__global__ void __launch_bounds__(BLOCK) matmul(Operands m) {
  __shared__ float s_A[ROWS][DEPTH], s_B[DEPTH][COLS];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int my_row = tid / COLS * MINE, my_col = tid % COLS; // in the tile
  float sum[MINE] = {};
  for (int k0 = 0; k0 < m.K; k0 += DEPTH) {
    const int row = row0 + tid / DEPTH, k = k0 + tid % DEPTH; // of A
    s_A[tid / DEPTH][tid % DEPTH] = row < m.M && k < m.K ? m.A[row * m.lda + k] : 0.0f;
    const int b_k = k0 + tid / COLS, col = col0 + tid % COLS; // of B
    s_B[tid / COLS][tid % COLS] = b_k < m.K && col < m.N ? m.B[b_k * m.ldb + col] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < DEPTH; ++k) {
      const float b = s_B[k][my_col];
#pragma unroll
      for (int i = 0; i < MINE; ++i)
        sum[i] += s_A[my_row + i][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MINE; ++i)
    if (row0 + my_row + i < m.M && col0 + my_col < m.N)
      m.C[(row0 + my_row + i) * m.ldc + col0 + my_col] = sum[i];
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, COLS, p.plain.M, ROWS), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace v6
