/// @file
/// Copies without a test, for tiles that lie wholly inside A and B.
#pragma once

#include "async_tiles.cuh"

/// This thread's share of the tiles of a block, of rows row0 .. row0 + ROWS of A and columns
/// col0 .. col0 + COLS of B: pointers that walk along K, a pair of tiles at a time.
template <int ROWS, int COLS, int DEPTH, int BLOCK> struct TileWalk {
  const float *A, *B; // my first elements of the next tiles
  int lda, ldb;
  int left; // pairs of tiles that are still to be copied

  __device__ TileWalk(const Operands &m, int row0, int col0)
      : A(m.A + (row0 + static_cast<int>(threadIdx.x) / DEPTH) * m.lda + threadIdx.x % DEPTH),
        B(m.B + static_cast<int>(threadIdx.x) / (COLS / 4) * m.ldb + col0 +
          threadIdx.x % (COLS / 4) * 4),
        lda(m.lda), ldb(m.ldb), left(ceil_div(m.K, DEPTH)) {}

  /// Starts to copy all stages but the last. The first pair holds what K leaves over, 1 to DEPTH
  /// terms and zeros, so that all others are whole.
  template <int STAGES, int PITCH>
  __device__ void begin(float (&s_A)[STAGES][DEPTH][PITCH],
                        float (&s_B)[STAGES][DEPTH][COLS],
                        const Operands &m,
                        int row0,
                        int col0) {
    Operands first = m;
    first.K = (m.K - 1) % DEPTH + 1;
    copy_A<ROWS, DEPTH, BLOCK>(s_A[0], first, row0, 0);
    copy_B<COLS, DEPTH, BLOCK>(s_B[0], first, 0, col0);
    __pipeline_commit();
    A += first.K;
    B += first.K * ldb;
    --left;
#pragma unroll
    for (int stage = 1; stage < STAGES - 1; ++stage)
      copy(s_A[stage], s_B[stage]);
  }

  /// Starts to copy the next pair into s_A[k][row] and s_B[k][col]. Who asks on after the last one
  /// gets that again: cheaper than a branch in the middle of a loop.
  template <int PITCH> __device__ void copy(float (&s_A)[DEPTH][PITCH], float (&s_B)[DEPTH][COLS]) {
    float *const to_A = &s_A[threadIdx.x % DEPTH][threadIdx.x / DEPTH];
    float *const to_B = &s_B[threadIdx.x / (COLS / 4)][threadIdx.x % (COLS / 4) * 4];
#pragma unroll
    for (int row = 0; row < ROWS; row += BLOCK / DEPTH)
      __pipeline_memcpy_async(to_A + row, A + row * lda, 4);
#pragma unroll
    for (int k = 0; k < DEPTH; k += BLOCK / (COLS / 4))
      __pipeline_memcpy_async(to_B + k * COLS, B + k * ldb, 16);
    __pipeline_commit();
    const bool more = --left > 0;
    A += more ? DEPTH : 0;
    B += more ? DEPTH * ldb : 0;
  }
};
