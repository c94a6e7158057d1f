// 10.7 · Eight lanes for a row
//
// The sums of many short rows. Right, but only one thread of eight works, and neighbours read far apart:
// of 32 bytes that memory hands over, 4 are used.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// Blocks of 128 threads, 8 for each row; the last block may have threads left over.
__global__ void row_sums(const unsigned *in, int rows, int cols, unsigned *out) {
  // TODO: let tiles of 8 lanes take a row each, side by side along the row. tiled_partition makes the
  // tiles, cg::reduce(tile, value, cg::plus<unsigned>()) adds up over one.
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 8;
  if (thread % 8 != 0 || row >= rows)
    return;
  unsigned sum = 0;
  for (int col = 0; col < cols; ++col)
    sum += in[row * cols + col];
  out[row] = sum;
  // end of TODO
}
