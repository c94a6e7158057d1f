// 03.4 · A transpose for any shape
//
// out[col * rows + row] = in[row * cols + col]: `out` has cols rows of rows elements each. A tile at a
// time goes through shared memory, so that reads and writes both run along rows.
#include <cuda_runtime.h>

constexpr int tile = 32;

// Blocks of 32 x 8 threads: a warp is a row of them, and has four rows of the tile. gridDim.x tiles cover
// the columns of `in`, gridDim.y its rows; rows and cols are multiples of nothing.
__global__ void transpose(const float *in, int rows, int cols, float *out) {
  __shared__ float s_tile[tile][tile + 1]; // the last column is never used
  const int row0 = blockIdx.y * tile; // where the tile begins in `in`
  const int col0 = blockIdx.x * tile;
  const int lane = threadIdx.x;

  // TODO 1: put the rows of the tile into shared memory, as far as they lie inside the matrix. Who has
  // to wait before the next part?
  // end of TODO

  // TODO 2: a row of the output's tile is a column of this one. Where does the output's tile begin, and
  // how far does it lie inside?
  // end of TODO
}
