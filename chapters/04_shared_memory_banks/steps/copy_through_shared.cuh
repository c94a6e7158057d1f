// Was:   nothing yet: this is the yardstick. A block reads a tile, row by row, and writes it again.
// Now:   the tile goes through shared memory, though a copy has no need of that.
// Watch: wavefronts: 1. A warp reads a row and 32 neighbours lie in 32 banks.
#pragma once

#include "problem.hpp"

namespace copy_through_shared {

__global__ void copy(const float *in, size_t rows, size_t cols, float *out) {
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
    if (row0 + i < rows && col0 + lane < cols)
      out[(row0 + i) * cols + col0 + lane] = s_tile[i][lane];
}

inline void run(Transpose &p) { launch_by_tiles(p, copy); }

} // namespace copy_through_shared
