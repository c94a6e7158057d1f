// Was:   with tiles of 16 columns a warp asked for two rows of 64 bytes, and each served 16 times.
// Now:   one number is changed: tiles of 32 x 32, the most that a block has threads for.
// Watch: sectors from global memory: halved. Requests to shared memory: more, only at the edges.
#pragma once

#include "problem.hpp"

namespace v4 {

constexpr int TILE = 32; // a block has TILE x TILE threads

__global__ void matmul(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[y][x] = row < m.M && k0 + x < m.K ? m.A[row * m.lda + k0 + x] : 0.0f;
    s_B[y][x] = k0 + y < m.K && col < m.N ? m.B[(k0 + y) * m.ldb + col] : 0.0f;
    __syncthreads(); // the tiles are there
#pragma unroll 1 // as it stands: nvcc would read four neighbours of s_A at once
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
    __syncthreads(); // nobody needs them any more
  }
  if (row < m.M && col < m.N)
    m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.plain;
  matmul<<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace v4
