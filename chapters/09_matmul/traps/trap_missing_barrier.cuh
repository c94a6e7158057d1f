// v3 without its second barrier.
#pragma once

#include "problem.hpp"

namespace trap_missing_barrier {

inline const char *why =
    "the barrier after the loads says that the tiles are there. Nothing says that everybody is "
    "done "
    "with them: who is fast loads the next tile over elements that others still need.";

constexpr int TILE = 16;

__global__ void matmul(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[y][x] = row < m.M && k0 + x < m.K ? m.A[row * m.lda + k0 + x] : 0.0f;
    s_B[y][x] = k0 + y < m.K && col < m.N ? m.B[(k0 + y) * m.ldb + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
  }
  if (row < m.M && col < m.N)
    m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  matmul<<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_missing_barrier
