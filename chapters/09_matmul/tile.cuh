/// @file
/// A tile of C of any shape, for the last steps: what v12 has in place, once for all shapes.
#pragma once

#include "inner_tiles.cuh"
#include "sums.cuh"

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

/// The same, but every other strip from below: from strip to strip an element of A stays, too.
template <class T, class Sum>
__device__ inline void add_products_down_and_up(Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                                const float (&a)[T::MY_ROWS],
                                                const float (&b)[T::MY_COLS]) {
#pragma unroll
  for (int strip = 0; strip < T::MY_COLS; strip += 4)
#pragma unroll
    for (int y = 0; y < T::MY_ROWS; ++y)
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        const int i = strip / 4 % 2 == 0 ? y : T::MY_ROWS - 1 - y;
        const int j = strip + (y % 2 == 0 ? x : 3 - x);
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

/// Shared memory for the tiles of A and B, and after them for the block's results.
template <class T> union TileMemory {
  struct {
    float A[T::STAGES][T::DEPTH][T::ROWS + 4], B[T::STAGES][T::DEPTH][T::COLS];
  } tiles;
  float C[T::ROWS][T::COLS + 1];
};

/// Adds the sums of two groups of threads that have the same places, and stores them. They meet in
/// shared memory; from there all threads of the block store whole rows. (row0, col0): of the tile.
template <class T>
__device__ inline void join_and_store(const PlainSum (&sum)[T::MY_ROWS][T::MY_COLS],
                                      float (&s_C)[T::ROWS][T::COLS + 1],
                                      const Operands &m,
                                      int row0,
                                      int col0) {
  const int lane = threadIdx.x % 32, group = threadIdx.x / T::BLOCK;
  const int warp = threadIdx.x % T::BLOCK / 32;
  const int my_row = warp / T::WARPS_ABREAST * (4 * T::MY_ROWS) + lane_row(lane) * 4; // in the tile
  const int my_col = warp % T::WARPS_ABREAST * (8 * T::MY_COLS) + lane_col(lane) * 4;
#pragma unroll 1
  for (int turn = 1; turn >= 0; --turn) { // the second group stores, the first one adds
    if (group == turn)
#pragma unroll
      for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < T::MY_COLS; ++j) {
          float &c = s_C[my_row + i / 4 * 16 + i % 4][my_col + j / 4 * 32 + j % 4];
          c = turn == 1 ? sum[i][j].sum : c + sum[i][j].sum;
        }
    __syncthreads();
  }
  const int from_row = blockIdx.y * T::ROWS, from_col = blockIdx.x * T::COLS;
#pragma unroll 8
  for (int i = threadIdx.x; i < T::ROWS * T::COLS; i += 2 * T::BLOCK) {
    const int row = row0 + i / T::COLS, col = col0 + i % T::COLS;
    if (row >= from_row && col >= from_col)
      m.C[row * m.ldc + col] = s_C[i / T::COLS][i % T::COLS];
  }
}

/// Where a warp puts some of its results, so that lanes with neighbouring columns store them: 4 rows
/// of 64 columns. One more column keeps the lanes apart: no two in one bank.
using RowsOfWarp = float[4][65];

/// A row and a column of C.
struct Place {
  int row, col;
};

/// Stores a warp's results in whole rows of 128 bytes, or adds them to what is there; but not those
/// above or left of `from`, which belong to another tile. `warp`: the first one of the warp's tile.
template <class T, class Sum>
__device__ inline void store_rows(const Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                  RowsOfWarp &s_rows,
                                  const Operands &m,
                                  Place warp,
                                  Place from,
                                  bool add) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int strip = 0; strip < T::MY_COLS; strip += 8)
#pragma unroll
    for (int i = 0; i < T::MY_ROWS; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j)
        s_rows[lane_row(lane)][j / 4 * 32 + lane_col(lane) * 4 + j % 4] =
            sum[i][strip + j].result();
      __syncwarp();
#pragma unroll
      for (int x = 0; x < 8; ++x) {
        const int row = warp.row + x / 2 * 4 + i / 4 * 16 + i % 4;
        const int col = warp.col + strip * 8 + x % 2 * 32 + lane;
        const float result = s_rows[x / 2][x % 2 * 32 + lane];
        if (row >= from.row && col >= from.col && add)
          atomicAdd(&m.C[row * m.ldc + col], result); // what it returns is unused: nobody waits
        else if (row >= from.row && col >= from.col)
          m.C[row * m.ldc + col] = result;
      }
      __syncwarp();
    }
}

/// Whether tiles of this shape can move inwards at the edges, and rows of B come in whole pieces.
template <class T> bool fits(const Operands &m) {
  return m.M >= T::ROWS && m.N >= T::COLS && m.K >= T::STAGES * T::DEPTH && m.N % 4 == 0 &&
         m.ldb % 4 == 0;
}
