// Was:   the host's loops: one element of C after the other.
// Now:   a thread for each element of C; the lanes of a warp take neighbouring columns.
// Watch: requests to global memory: two loads for each multiply-add, and nothing is kept.
#pragma once

#include "problem.hpp"

namespace v0 {

constexpr int BLOCK = 256; // columns, and threads, of a block

__global__ void matmul(Operands m) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < m.K; ++k)
    sum += m.A[row * m.lda + k] * m.B[k * m.ldb + col];
  m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, BLOCK, p.plain.M, 1), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace v0
