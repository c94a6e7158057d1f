// Was:   the copy wrote each row where it came from.
// Now:   a transpose: row i of the output's tile is column i of the tile in shared memory.
// Watch: wavefronts per shared load: 32. All elements of a column lie in one bank.
#pragma once

#include "problem.hpp"

namespace v0 {

__global__ void transpose(const float *in, size_t rows, size_t cols, float *out) {
  __shared__ float s_tile[tile][tile];
  const unsigned lane = threadIdx.x; // [0, 32)
  const unsigned warp = threadIdx.y; // [0, 8)
  const size_t row0 = static_cast<size_t>(blockIdx.y) * tile; // of the tile's corner
  const size_t col0 = static_cast<size_t>(blockIdx.x) * tile;
  for (unsigned i = warp; i < tile; i += block_rows)
    if (row0 + i < rows && col0 + lane < cols)
      s_tile[i][lane] = in[(row0 + i) * cols + col0 + lane];
  __syncthreads();

  for (unsigned i = warp; i < tile; i += block_rows)
    if (col0 + i < cols && row0 + lane < rows)
      out[(col0 + i) * rows + row0 + lane] = s_tile[lane][i];
}

inline void run(Transpose &p) { launch_by_tiles(p, transpose); }

} // namespace v0
