// Was:   v0: each addition rounds, and a sum of K products collects up to K of those errors.
// Now:   Kahan: what an addition rounds away is computed, kept, and given to the next one.
// Watch: the greatest and the mean error; and the time.
#pragma once

#include "problem.hpp"

namespace k0 {

constexpr int BLOCK = 256; // columns, and threads, of a block

__global__ void matmul(Operands m) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= m.M || col >= m.N)
    return;
  float sum = 0.0f, owed = 0.0f; // owed: what belongs to the sum and is not in it
  for (int k = 0; k < m.K; ++k) {
    const float term = fmaf(m.A[row * m.lda + k], m.B[k * m.ldb + col], owed);
    const float next = sum + term;
    owed = term - (next - sum);
    sum = next;
  }
  m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, BLOCK, p.plain.M, 1), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace k0
