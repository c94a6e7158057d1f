// v5 whose padding was allocated and not filled.
#pragma once

#include "problem.hpp"

namespace trap_padding_not_zero {

inline const char *why = "what lies in the padding is multiplied and added like everything else. A "
                         "zero in A does not help "
                         "either: 0 times NaN is NaN. Both have to be filled, with zeros.";

constexpr int TILE = 32; // a block has TILE x TILE threads

__global__ void matmul(Operands m) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += TILE) {
    s_A[y][x] = m.A[row * m.lda + k0 + x];
    s_B[y][x] = m.B[(k0 + y) * m.ldb + col];
    __syncthreads(); // the tiles are there
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
    __syncthreads(); // nobody needs them any more
  }
  m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.padded.operands;
  for (int k = p.shape.K; k < m.K; ++k) // as fresh memory may look
    lab::poison(const_cast<float *>(m.B) + k * m.ldb, static_cast<size_t>(m.N));
  matmul<<<grid_of_tiles(m.N, TILE, m.M, TILE), dim3(TILE, TILE)>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_padding_not_zero
