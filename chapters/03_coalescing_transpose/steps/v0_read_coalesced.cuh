// Was:   a copy, which leaves every element where it is.
// Now:   a thread per element; a warp reads along a row, so it writes down a column of the output.
// Watch: sectors per request: 4 for the reads, 32 for the writes: one for each lane.
#pragma once

#include "steps/tiles.cuh"

namespace v0 {

constexpr unsigned TILE = 32; // a block has TILE x TILE threads

__global__ void transpose(const float *in, float *out, size_t rows, size_t cols) {
  const size_t row = block_y() * TILE + threadIdx.y;
  const size_t col = block_x() * TILE + threadIdx.x;
  if (row < rows && col < cols)
    out[col * rows + row] = in[row * cols + col];
}

inline void run(Matrix &p) {
  const dim3 grid = grid_of_tiles(p.cols, p.rows, TILE);
  transpose<<<grid, dim3(TILE, TILE)>>>(p.d_in.data(), p.d_out.data(), p.rows, p.cols);
  LAB_CHECK_LAUNCH();
}

} // namespace v0
