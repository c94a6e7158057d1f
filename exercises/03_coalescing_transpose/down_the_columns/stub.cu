// 03.1 · Down the columns
//
// Adds to every element of a matrix the bias of its row. The matrix lies in memory column after column, as Fortran and
// cuBLAS store it: element (row, col) is number col * rows + row. The answer is right; the matrix is walked the wrong
// way round.
#include <cuda_runtime.h>

__global__ void add_bias(const float *in, int rows, int cols, const float *bias, float *out) {
  // TODO 1: lanes of a warp differ in threadIdx.x first. Which elements do they touch together? And which would they
  // touch in a matrix of four rows?
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols)
    out[col * rows + row] = in[col * rows + row] + bias[row];
  // end of TODO
}

// Called by the host; all pointers are into device memory.
void add_bias_to_rows(const float *d_in, int rows, int cols, const float *d_bias, float *d_out) {
  if (rows == 0 || cols == 0)
    return; // a launch of no blocks is an error
  // TODO 2: blocks and grid have to cover the matrix the way the kernel walks it.
  const dim3 block(32, 8);
  const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  // end of TODO
  add_bias<<<grid, block>>>(d_in, rows, cols, d_bias, d_out);
}
