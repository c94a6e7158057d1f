// k0 with one sign turned round.
#pragma once

#include "problem.hpp"

namespace trap_kahan_sign {

inline const char *why =
    "texts write the correction with either sign: (next - sum) - term is subtracted from the next "
    "term, term - (next - sum) is added to it. Mixed, each error is not undone but doubled, and "
    "nothing "
    "looks wrong: the result is a little worse than without.";

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
    owed = (next - sum) - term;
    sum = next;
  }
  m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  matmul<<<grid_of_tiles(p.plain.N, BLOCK, p.plain.M, 1), BLOCK>>>(p.plain);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_kahan_sign
