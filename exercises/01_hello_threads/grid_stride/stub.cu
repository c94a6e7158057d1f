// 01.4 · A loop over the grid
//
// A picture of rows * cols numbers, row after row in memory; each is multiplied by a factor. Whatever the launch: one
// block or a thousand, wide or high.
#include <cuda_runtime.h>

__global__ void scale(const float *in, float factor, int rows, int cols, float *out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  // TODO: this computes one element for each thread. There may be far fewer threads than the picture is wide, or high, or
  // both: let each thread go on until nothing is left for it.
  if (row < rows && col < cols)
    out[row * cols + col] = factor * in[row * cols + col];
  // end of TODO
}
