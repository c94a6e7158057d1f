/// @file
/// Grids of square tiles over a matrix of any height.
#pragma once

#include "problem.hpp"

/// Blocks for a grid of square tiles that cover width x height elements; one at least.
///
/// A grid may have 2^31 - 1 blocks in x, and 65535 in y: what does not fit there goes on in z.
inline dim3 grid_of_tiles(size_t width, size_t height, unsigned tile) {
  const size_t across = ceil_div(width > 0 ? width : 1, tile);
  const size_t down = ceil_div(height > 0 ? height : 1, tile);
  const size_t y = down < 65535 ? down : 65535;
  return dim3(static_cast<unsigned>(across),
              static_cast<unsigned>(y),
              static_cast<unsigned>(ceil_div(down, y)));
}

/// This block's place in such a grid. Neighbours in x are started one after the other.
__device__ inline size_t block_x() { return blockIdx.x; }
__device__ inline size_t block_y() {
  return static_cast<size_t>(blockIdx.z) * gridDim.y + blockIdx.y;
}
