// Was:   whichever way round, one side of a naive transpose touches a sector per lane.
// Now:   a tile is read along its rows, kept in shared memory, and written along its columns.
// Watch: sectors per request: 4 and 4. But a column of the tile lies in one bank: 32 lanes queue.
#pragma once

#include "steps/tiles.cuh"

namespace v3 {

constexpr unsigned TILE = 32; // a block has TILE x TILE threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE];
  const size_t row0 = block_y() * TILE; // the tile's first element
  const size_t col0 = block_x() * TILE;

  size_t row = row0 + threadIdx.y; // in the order of the reads
  size_t col = col0 + threadIdx.x;
  if (row < rows && col < cols)
    s_tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
  __syncthreads();

  row = row0 + threadIdx.x; // in the order of the writes
  col = col0 + threadIdx.y;
  if (row < rows && col < cols)
    out[col * rows + row] = s_tile[threadIdx.x][threadIdx.y];
}

inline void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.cols, p.rows, TILE);
  transpose<<<grid, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace v3
