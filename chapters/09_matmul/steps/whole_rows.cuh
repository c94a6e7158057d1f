/// @file
/// Results on their way out: through shared memory, so that lanes store neighbouring columns.
#pragma once

#include "steps/tile.cuh"

/// Shared memory for the tiles of A and B, and after them for the block's results.
template <class T> union TileMemory {
  struct {
    float A[T::STAGES][T::DEPTH][T::ROWS + 4], B[T::STAGES][T::DEPTH][T::COLS];
  } tiles;
  float C[T::ROWS][T::COLS + 1];
};

/// Adds the sums of two groups of threads that have the same places, and stores them. They meet in
/// shared memory; from there all threads of the block store whole rows. `tile` begins there in C,
/// `my` results there in the tile.
template <class T>
__device__ inline void join_and_store(const PlainSum (&sum)[T::MY_ROWS][T::MY_COLS],
                                      float (&s_C)[T::ROWS][T::COLS + 1],
                                      const Operands &m,
                                      Place tile,
                                      Place my,
                                      Place from) {
  const int group = threadIdx.x / T::BLOCK;
#pragma unroll 1
  for (int turn = 1; turn >= 0; --turn) { // the second group stores, the first one adds
    if (group == turn)
#pragma unroll
      for (int i = 0; i < T::MY_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < T::MY_COLS; ++j) {
          float &c = s_C[my.row + i / 4 * 16 + i % 4][my.col + j / 4 * 32 + j % 4];
          c = turn == 1 ? sum[i][j].sum : c + sum[i][j].sum;
        }
    __syncthreads();
  }
#pragma unroll 8
  for (int i = threadIdx.x; i < T::ROWS * T::COLS; i += 2 * T::BLOCK) {
    const int row = tile.row + i / T::COLS, col = tile.col + i % T::COLS;
    if (row >= from.row && col >= from.col)
      m.C[row * m.ldc + col] = s_C[i / T::COLS][i % T::COLS];
  }
}

/// Where a warp puts some of its results, so that lanes with neighbouring columns store them: 4 rows
/// of 64 columns. One more column keeps the lanes apart: no two in one bank.
using RowsOfWarp = float[4][65];

/// Stores a warp's results in whole rows of 128 bytes, or adds them to what is there; but not those
/// above or left of `from`, which belong to another tile. `warp`: the first one of the warp's.
template <class T, class Sum>
__device__ inline void store_rows(const Sum (&sum)[T::MY_ROWS][T::MY_COLS],
                                  RowsOfWarp &s_rows,
                                  const Operands &m,
                                  Place warp,
                                  Place from,
                                  bool add = false) {
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
