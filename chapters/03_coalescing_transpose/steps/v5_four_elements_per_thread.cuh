// Was:   a block of 1024 threads: an SM has room for two, and at a barrier one of the two waits.
// Now:   a quarter of the threads; each handles four elements, one after the other.
// Watch: threads launched: a quarter. Requests and sectors are as many as before.
#pragma once

#include "steps/tiles.cuh"

namespace v5 {

constexpr unsigned TILE = 32;
constexpr unsigned BLOCK_ROWS = 8; // a block has TILE x BLOCK_ROWS threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1]; // the last column is never used
  const size_t row0 = block_y() * TILE; // the tile's first element
  const size_t col0 = block_x() * TILE;

#pragma unroll 1 // a loop as written: the next load waits until this one's value is stored
  for (unsigned j = 0; j < TILE; j += BLOCK_ROWS) {
    const size_t row = row0 + threadIdx.y + j; // in the order of the reads
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols)
      s_tile[threadIdx.y + j][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();

#pragma unroll
  for (unsigned j = 0; j < TILE; j += BLOCK_ROWS) {
    const size_t row = row0 + threadIdx.x; // in the order of the writes
    const size_t col = col0 + threadIdx.y + j;
    if (row < rows && col < cols)
      out[col * rows + row] = s_tile[threadIdx.x][threadIdx.y + j];
  }
}

inline void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.cols, p.rows, TILE);
  transpose<<<grid, dim3(TILE, BLOCK_ROWS)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace v5
