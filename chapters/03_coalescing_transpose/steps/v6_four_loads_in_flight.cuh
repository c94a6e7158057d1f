// Was:   one load at a time: four bytes per thread are under way, and a store waits for each.
// Now:   all four loads go out, into registers, before the first of their values is stored.
// Watch: the stall "global memory". Threads, requests and sectors are as many as before.
#pragma once

#include "steps/tiles.cuh"

namespace v6 {

constexpr unsigned TILE = 32;
constexpr unsigned BLOCK_ROWS = 8; // a block has TILE x BLOCK_ROWS threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1]; // the last column is never used
  const size_t row0 = block_y() * TILE; // the tile's first element
  const size_t col0 = block_x() * TILE;

  float v[TILE / BLOCK_ROWS];
#pragma unroll
  for (unsigned j = 0; j < TILE / BLOCK_ROWS; ++j) {
    const size_t row = row0 + threadIdx.y + j * BLOCK_ROWS; // in the order of the reads
    const size_t col = col0 + threadIdx.x;
    v[j] = row < rows && col < cols ? in[row * cols + col] : 0.0f;
  }
#pragma unroll
  for (unsigned j = 0; j < TILE / BLOCK_ROWS; ++j)
    s_tile[threadIdx.y + j * BLOCK_ROWS][threadIdx.x] = v[j];
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

} // namespace v6
