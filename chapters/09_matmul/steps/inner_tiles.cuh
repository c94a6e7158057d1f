/// @file
/// Copies without a test, for tiles that lie wholly inside A and B.
#pragma once

#include "steps/async_tiles.cuh"

/// This thread's share of the tiles of a block, of rows row0 .. row0 + ROWS of A and columns
/// col0 .. col0 + COLS of B: pointers that walk along K, a pair of tiles at a time. Pair number 0
/// holds what K leaves over, 1 to DEPTH terms and zeros, so that all others are whole.
template <int ROWS, int COLS, int DEPTH, int BLOCK> struct TileWalk {
  const float *A, *B; // my first elements of the next tiles
  int lda, ldb;
  int terms; // in the first pair
  int left; // pairs of tiles that are still to be copied

  /// Along all of K.
  __device__ TileWalk(const Operands &m, int row0, int col0)
      : TileWalk(m, row0, col0, 0, ceil_div(m.K, DEPTH)) {}

  /// Pairs first .. last only.
  __device__ TileWalk(const Operands &m, int row0, int col0, int first, int last)
      : A(m.A + (row0 + my_row()) * m.lda + my_k_of_A()),
        B(m.B + my_k_of_B() * m.ldb + col0 + my_col()), lda(m.lda), ldb(m.ldb),
        terms(first == 0 ? (m.K - 1) % DEPTH + 1 : DEPTH), left(last - first) {
    const int k0 = first == 0 ? 0 : (m.K - 1) % DEPTH + 1 + (first - 1) * DEPTH;
    A += k0;
    B += k0 * ldb;
  }

  __device__ static int my_k_of_A() { return threadIdx.x % DEPTH; }
  __device__ static int my_row() { return threadIdx.x / DEPTH; }
  __device__ static int my_k_of_B() { return threadIdx.x / (COLS / 4); }
  __device__ static int my_col() { return threadIdx.x % (COLS / 4) * 4; }

  /// Starts to copy all stages but the last.
  template <int STAGES, int PITCH>
  __device__ void begin(float (&s_A)[STAGES][DEPTH][PITCH], float (&s_B)[STAGES][DEPTH][COLS]) {
    copy(s_A[0], s_B[0], terms);
#pragma unroll
    for (int stage = 1; stage < STAGES - 1; ++stage)
      copy(s_A[stage], s_B[stage]);
  }

  /// Starts to copy the next pair into s_A[k][row] and s_B[k][col]; where it has fewer terms than
  /// DEPTH, zeros follow. Who asks on after the last one gets that again: cheaper than a branch in
  /// the middle of a loop.
  template <int PITCH>
  __device__ void copy(float (&s_A)[DEPTH][PITCH], float (&s_B)[DEPTH][COLS], int terms = DEPTH) {
    const bool whole = terms == DEPTH;
    float *const to_A = &s_A[my_k_of_A()][my_row()], *const to_B = &s_B[my_k_of_B()][my_col()];
#pragma unroll
    for (int row = 0; row < ROWS; row += BLOCK / DEPTH)
      copy_async<4>(to_A + row, A + row * lda, whole || my_k_of_A() < terms ? 0 : 4);
#pragma unroll
    for (int k = 0; k < DEPTH; k += BLOCK / (COLS / 4))
      copy_async<16>(to_B + k * COLS, B + k * ldb, whole || my_k_of_B() + k < terms ? 0 : 16);
    __pipeline_commit();
    const bool more = --left > 0;
    A += more ? terms : 0;
    B += more ? terms * ldb : 0;
  }
};
