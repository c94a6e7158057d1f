// Was:   the 32 words of a column lay in one bank, so a warp's read of the tile took 32 rounds.
// Now:   one unused word at the end of each row: the next row starts one bank further on.
// Watch: wavefronts per shared-memory request: 1 for rows and columns alike.
#pragma once

#include "steps/tiles.cuh"

namespace v4 {

constexpr unsigned TILE = 32; // a block has TILE x TILE threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  __shared__ float s_tile[TILE][TILE + 1]; // the last column is never used
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

} // namespace v4
