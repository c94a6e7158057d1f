/// @file
/// A tile of C of any shape, for the last steps: what v12 has in place, once for all shapes.
#pragma once

#include "inner_tiles.cuh"
#include "sums.cuh"

/// A block computes ROWS x COLS elements of C, from DEPTH columns of A and rows of B at a time.
template <int ROWS_, int COLS_, int MY_ROWS_, int MY_COLS_, int STAGES_, int PER_SM_> struct Tile {
  static constexpr int ROWS = ROWS_, COLS = COLS_, DEPTH = 8;
  static constexpr int MY_ROWS = MY_ROWS_, MY_COLS = MY_COLS_; // results of a thread
  static constexpr int BLOCK = ROWS * COLS / (MY_ROWS * MY_COLS); // threads
  static constexpr int WARPS_ABREAST = COLS / (8 * MY_COLS); // a warp has 4 x 8 lanes
  static constexpr int STAGES = STAGES_; // pairs of tiles: one in use, the others on their way
  static constexpr int PER_SM = PER_SM_; // blocks on a multiprocessor
};

/// Multiplies MY_ROWS elements of A with MY_COLS of B, in strips of 4 columns, to and fro: so that
/// most instructions find one of their operands where the one before them had it.
template <class T, class Sum>
__device__ inline void add_products(Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                    const float (&a)[T::MY_ROWS],
                                    const float (&b)[T::MY_COLS]) {
#pragma unroll
  for (int strip = 0; strip < T::MY_COLS; strip += 4)
#pragma unroll
    for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        const int j = strip + (i % 2 == 0 ? x : 3 - x);
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

/// Stores a thread's results, but not those above row `from_row` or left of column `from_col`, which
/// belong to another tile. (row, col): the first one; groups of 4 rows are 16 apart, groups of 4
/// columns 32. One float at a time: a float4 store would need its four sums in neighbouring
/// registers, and the multiply-adds would find two of their operands in one register bank.
template <class T, class Sum>
__device__ inline void store(const Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                             float *C,
                             int ldc,
                             int row,
                             int col,
                             int from_row,
                             int from_col) {
#pragma unroll
  for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
    for (int j = 0; j < T::MY_COLS; ++j) {
      const int r = row + i / 4 * 16 + i % 4, c = col + j / 4 * 32 + j % 4;
      if (r >= from_row && c >= from_col)
        C[r * ldc + c] = sum[i][j].result();
    }
}

/// Adds the sums of the second group of threads to those of the first, which have the same places, by
/// way of shared memory, half of them at a time. For all threads of the block.
template <class T>
__device__ inline void join_groups(PlainSum (&sum)[T::MY_ROWS][T::MY_COLS],
                                   float (&s_sums)[T::MY_ROWS / 2 * T::MY_COLS][T::BLOCK],
                                   int group) {
  const int tid = threadIdx.x % T::BLOCK;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < T::MY_ROWS / 2 * T::MY_COLS; ++i)
      if (group == 1)
        s_sums[i][tid] = sum[half * (T::MY_ROWS / 2) + i / T::MY_COLS][i % T::MY_COLS].sum;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T::MY_ROWS / 2 * T::MY_COLS; ++i)
      if (group == 0)
        sum[half * (T::MY_ROWS / 2) + i / T::MY_COLS][i % T::MY_COLS].sum += s_sums[i][tid];
    __syncthreads();
  }
}

/// Whether tiles of this shape can move inwards at the edges, and rows of B come in whole pieces.
template <class T> bool fits(const Operands &m) {
  return m.M >= T::ROWS && m.N >= T::COLS && m.K >= T::STAGES * T::DEPTH && m.N % 4 == 0 &&
         m.ldb % 4 == 0;
}
