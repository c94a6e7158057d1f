// v3 with the bounds test in front, as v0 has it.
#pragma once

#include "problem.hpp"

namespace trap_return_before_barrier {

inline const char *why = "who returns loads nothing: the tiles keep holes, and others add up what "
                         "lies there. And a barrier "
                         "that not all threads of a block reach is undefined.";

constexpr int TILE = 16;

__global__ void matmul(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  if (row >= m.M || col >= m.N)
    return;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[y][x] = k0 + x < m.K ? m.A[row * m.lda + k0 + x] : 0.0f;
    s_B[y][x] = k0 + y < m.K ? m.B[(k0 + y) * m.ldb + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
    __syncthreads();
  }
  m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  matmul<<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_return_before_barrier
