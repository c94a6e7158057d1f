/// @file
/// A tile of C of any shape, for the last steps: what v14 has in place, once for all shapes.
#pragma once

#include "steps/inner_tiles.cuh"
#include "steps/sums.cuh"

/// A block computes ROWS x COLS elements of C, from DEPTH columns of A and rows of B at a time.
template <int ROWS_,
          int COLS_,
          int MY_ROWS_,
          int MY_COLS_,
          int STAGES_,
          int PER_SM_,
          int DEPTH_ = 8>
struct Tile {
  static constexpr int ROWS = ROWS_, COLS = COLS_, DEPTH = DEPTH_;
  static constexpr int MY_ROWS = MY_ROWS_, MY_COLS = MY_COLS_; // results of a thread
  static constexpr int BLOCK = ROWS * COLS / (MY_ROWS * MY_COLS); // threads
  static constexpr int WARPS_ABREAST = COLS / (8 * MY_COLS); // a warp has 4 x 8 lanes
  static constexpr int STAGES = STAGES_; // pairs of tiles: one in use, the others on their way
  static constexpr int PER_SM = PER_SM_; // blocks on a multiprocessor
};

/// A row and a column.
struct Place {
  int row, col;
};

/// The multiply-adds of v14: down one strip of 4 columns and up the next, to and fro in its rows.
template <class T, class Sum>
__device__ inline void add_products(Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                    const float (&a)[T::MY_ROWS],
                                    const float (&b)[T::MY_COLS]) {
#pragma unroll
  for (int n = 0; n < T::MY_ROWS * T::MY_COLS; ++n) {
    const int strip = n / (4 * T::MY_ROWS), y = n / 4 % T::MY_ROWS, x = n % 4;
    const int i = strip % 2 == 0 ? y : T::MY_ROWS - 1 - y;
    const int j = strip * 4 + (y % 2 == 0 ? x : 3 - x);
    sum[i][j].add(a[i], b[j]);
  }
}

/// Calls settle() of all sums of a thread.
template <class T, class Sum> __device__ inline void settle(Sum (&sum)[T::MY_ROWS][T::MY_COLS]) {
#pragma unroll
  for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < T::MY_COLS; ++j)
      sum[i][j].settle();
}

/// The loop of v14: `rounds` pairs of tiles come along the walk, whose first copies have begun, and
/// their products are added. Of GROUPS groups of threads each takes its part of the k's. What comes
/// first, copies, B's elements or A's, is nothing but measured: nvcc puts the loads elsewhere.
template <class T, int GROUPS = 1, class Sum, class Walk>
__device__ inline void multiply(Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                float (&s_A)[T::STAGES][T::DEPTH][T::ROWS + 4],
                                float (&s_B)[T::STAGES][T::DEPTH][T::COLS],
                                Walk &walk,
                                int rounds,
                                int my_row,
                                int my_col) {
  constexpr int STAGES = T::STAGES, MY_DEPTH = T::DEPTH / GROUPS;
  const int my_k = GROUPS == 1 ? 0 : static_cast<int>(threadIdx.x) / T::BLOCK * MY_DEPTH;
  float a[2][T::MY_ROWS], b[2][T::MY_COLS]; // of this k and of the next
  const auto load_a = [&](int into, int stage, int k) {
#pragma unroll
    for (int i = 0; i < T::MY_ROWS; i += 4)
      load4(&a[into][i], &s_A[stage][my_k + k][my_row + i * 4]);
  };
  const auto load = [&](int into, int stage, int k) {
    if (GROUPS > 1)
      load_a(into, stage, k);
#pragma unroll
    for (int j = 0; j < T::MY_COLS; j += 4)
      load4(&b[into][j], &s_B[stage][my_k + k][my_col + j * 8]);
    if (GROUPS == 1)
      load_a(into, stage, k);
  };
  __pipeline_wait_prior(STAGES - 2); // my share of the first stage has come
  __syncthreads(); // and everybody's
  load(0, 0, 0);
  for (int round = 0, stage = 0, next = STAGES - 1; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < MY_DEPTH; ++k) {
      if (k == MY_DEPTH - 1) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // the next stage is there, and nobody needs this one any more
        stage = stage == STAGES - 1 ? 0 : stage + 1;
      }
      if (k == 0) {
        walk.copy(s_A[next], s_B[next]);
        next = next == STAGES - 1 ? 0 : next + 1;
      }
      load((k + 1) % 2, stage, (k + 1) % MY_DEPTH);
      add_products<T>(sum, a[k % 2], b[k % 2]);
    }
    if (Sum::end_of_tile(round))
      settle<T>(sum);
  }
}

/// Stores a thread's results, but not those above or left of `from`, which belong to another tile.
/// One float at a time: a float4 store would need its four sums in neighbouring registers, and the
/// multiply-adds would find two of their operands in one register bank. `first`: the first result;
/// groups of 4 rows are 16 apart, groups of 4 columns 32.
template <class T, class Sum>
__device__ inline void
store(const Sum (&sum)[T::MY_ROWS][T::MY_COLS], const Operands &m, Place first, Place from) {
#pragma unroll
  for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < T::MY_COLS; ++j) {
      const int row = first.row + i / 4 * 16 + i % 4, col = first.col + j / 4 * 32 + j % 4;
      if (row >= from.row && col >= from.col)
        m.C[row * m.ldc + col] = sum[i][j].result();
    }
}

/// Whether tiles of this shape can move inwards at the edges, and rows of B come in whole pieces.
template <class T> bool fits(const Operands &m) {
  return m.M >= T::ROWS && m.N >= T::COLS && m.K >= T::STAGES * T::DEPTH && m.N % 4 == 0 &&
         m.ldb % 4 == 0;
}
