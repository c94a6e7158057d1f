// Was:   rows that follow each other at once: most begin between two sectors of 32 bytes.
// Now:   the same kernel over matrices from cudaMallocPitch: every row begins at a good address.
// Watch: sectors per load request at a size that is no multiple of 8: five become four.
#pragma once

#include "problem.hpp"

namespace v2 {

constexpr int BLOCK = 256; // columns, and threads, of a block

__global__ void matmul(Operands m) {
  __shared__ float s_row[BLOCK]; // A[row][k0 .. k0 + BLOCK)
  const int tid = threadIdx.x;
  const int row = blockIdx.y;
  const int col = blockIdx.x * BLOCK + tid;
  float sum = 0.0f;
  for (int k0 = 0; k0 < m.K; k0 += BLOCK) {
    s_row[tid] = row < m.M && k0 + tid < m.K ? m.A[row * m.lda + k0 + tid] : 0.0f;
    __syncthreads(); // the row is there
    if (col < m.N)
      for (int k = k0; k < m.K && k < k0 + BLOCK; ++k)
        sum += s_row[k - k0] * m.B[k * m.ldb + col];
    __syncthreads(); // nobody needs it any more
  }
  if (row < m.M && col < m.N)
    m.C[row * m.ldc + col] = sum;
}

inline void run(Matmul &p) {
  const Operands &m = p.pitched.operands;
  matmul<<<grid_of_tiles(m.N, BLOCK, m.M, 1), BLOCK>>>(m);
  LAB_CHECK_LAUNCH();
}

} // namespace v2
