// 03.4 · Turned in place
//
// A square matrix is turned over its diagonal, and memory has no room for a second one: in `a` itself elements (row, col)
// and (col, row) change places. From the rows 1 2 3, 4 5 6, 7 8 9 come 1 4 7, 2 5 8, 3 6 9.
#include <cuda_runtime.h>

constexpr int tile = 32;

// Element (row, col) is a[row * n + col]; n is any number. A block of 32 x 8 threads for each tile; its warps
// have four rows of the tile each. Blocks run in any order, and none waits for another.
__global__ void transpose(float *a, int n) {
  __shared__ float s_here[tile][tile + 1], s_there[tile][tile + 1]; // the last column is never used
  const int row0 = blockIdx.y * tile; // where the block's tile begins
  const int col0 = blockIdx.x * tile;
  const int lane = threadIdx.x;

  // TODO: where does this tile belong, and what stands there still? Which blocks have nothing to do then? Loads and
  // stores run along rows of `a`, with shared memory and one barrier between them.
  // end of TODO
}
