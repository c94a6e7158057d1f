// v3 that takes the number of columns for the distance of rows.
#pragma once

#include "problem.hpp"

namespace trap_leading_dimension {

inline const char *why =
    "in a part of a larger matrix, or a pitched one, a row is longer than its columns. A kernel "
    "that "
    "computes with K and N where lda and ldb belong works until somebody passes such a part.";

constexpr int TILE = 16;

__global__ void matmul(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[y][x] = row < m.M && k0 + x < m.K ? m.A[row * m.K + k0 + x] : 0.0f;
    s_B[y][x] = k0 + y < m.K && col < m.N ? m.B[(k0 + y) * m.N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
    __syncthreads();
  }
  if (row < m.M && col < m.N)
    m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.pitched.operands;
  matmul<<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_leading_dimension
