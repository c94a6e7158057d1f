// 01.4 · A loop over the grid
//
// A picture came in four quarters, and they were put together crosswise. Put it right, in place: the upper left quarter changes
// places with the lower right one, the upper right with the lower left. Where rows are odd in number, the middle row stays, and
// its halves change places; so with columns. The picture has rows * cols numbers, row after row.
//      a b c d     k l i j
//      e f g h  →  g h e f      Whatever the launch: one block or a thousand, wide or high.
//      i j k l     c d a b
#include <cuda_runtime.h>

// Where number i of n belongs, if halves change places: 0 1 2 3 4 are to become 3 4 2 0 1.
__device__ int across(int i, int n) {
  const int far = (n + 1) / 2;
  return i < n / 2 ? i + far : i < far ? i : i - far;
}

__global__ void put_right(int *picture, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  // TODO: this swaps one pair of numbers for each thread. There may be far fewer threads than the picture is wide, or
  // high, or both: let each thread go on until nothing is left for it. And no pair may be swapped twice.
  if (row < rows && col < cols) {
    int &here = picture[row * cols + col],
        &there = picture[across(row, rows) * cols + across(col, cols)];
    const int kept = here;
    here = there;
    there = kept;
  }
  // end of TODO
}
