// v1 without its barrier.
#pragma once

#include "problem.hpp"

namespace trap_missing_barrier {

inline const char *why =
    "a column holds one word of every row, and each row is another warp's to write. Without "
    "__syncthreads() nothing says that they have written.";

__global__ void transpose(const float *in, size_t rows, size_t cols, float *out) {
  __shared__ float s_tile[tile][tile + 1];
  const unsigned lane = threadIdx.x;
  const unsigned warp = threadIdx.y;
  const size_t row0 = static_cast<size_t>(blockIdx.y) * tile;
  const size_t col0 = static_cast<size_t>(blockIdx.x) * tile;
  for (unsigned i = warp; i < tile; i += block_rows)
    if (row0 + i < rows && col0 + lane < cols)
      s_tile[i][lane] = in[(row0 + i) * cols + col0 + lane];

  for (unsigned i = warp; i < tile; i += block_rows)
    if (col0 + i < cols && row0 + lane < rows)
      out[(col0 + i) * rows + row0 + lane] = s_tile[lane][i];
}

inline void run(Transpose &p) { launch_by_tiles(p, transpose); }

} // namespace trap_missing_barrier
