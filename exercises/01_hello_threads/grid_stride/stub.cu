// 01.4 · A loop over the grid
//
// Many files keep a picture's lowest row first. Turn it over, in place: the first row changes places with the last one, the
// second with the last but one. It has rows * cols numbers, row after row. Whatever the launch: one block or a thousand,
// wide or high.
#include <cuda_runtime.h>

__global__ void turn_over(int *picture, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  // TODO: this swaps one pair of numbers for each thread. There may be far fewer threads than the picture is wide, or
  // high, or both: let each thread go on until nothing is left for it. And no pair may be swapped back.
  if (row < rows && col < cols) {
    int &above = picture[row * cols + col], &below = picture[(rows - 1 - row) * cols + col];
    const int kept = above;
    above = below;
    below = kept;
  }
  // end of TODO
}
