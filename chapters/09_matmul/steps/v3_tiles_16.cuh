// Was:   an element of B was read for one multiply-add and forgotten; another row reads it again.
// Now:   a block of 16 x 16 threads brings a tile of A and one of B: 16 uses for each element.
// Watch: sectors from global memory; and requests to shared memory.
#pragma once

#include "problem.hpp"

namespace v3 {

constexpr int TILE = 16; // a block has TILE x TILE threads

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

} // namespace v3
