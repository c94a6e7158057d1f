// Was:   each store put 4 bytes into each of 32 sectors; the L2 was busy gathering them.
// Now:   the warp turns round: it reads down a column, and writes along a row of the output.
// Watch: sectors per request: 32 for the reads, 4 for the writes.
#pragma once

#include "steps/tiles.cuh"

namespace v1 {

constexpr unsigned TILE = 32; // a block has TILE x TILE threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  const size_t row = block_y() * TILE + threadIdx.x;
  const size_t col = block_x() * TILE + threadIdx.y;
  if (row < rows && col < cols)
    out[col * rows + row] = in[row * cols + col];
}

inline void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.cols, p.rows, TILE);
  transpose<<<grid, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace v1
