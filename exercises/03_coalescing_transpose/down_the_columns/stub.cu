// 03.1 · Down the columns
//
// Adds the bias of its row to every element of a window in a large matrix, and leaves all outside alone. The matrix lies
// in memory column after column, as Fortran and cuBLAS store it; its columns begin ld places apart. So element (row, col)
// of the window is number col * ld + row: with 2 rows, 3 columns and ld = 5 those are 0, 1, 5, 6, 10 and 11. The answer is
// right; the window is walked the wrong way round.
#include <cuda_runtime.h>

__global__ void
add_bias(const float *in, int rows, int cols, int ld, const float *bias, float *out) {
  // TODO 1: lanes of a warp differ in threadIdx.x first. Which elements do they touch together? And which would they
  // touch in a window of four rows?
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols)
    out[col * ld + row] = in[col * ld + row] + bias[row];
  // end of TODO
}

// Called by the host; all pointers are into device memory, d_in and d_out to the window's first element. rows <= ld.
void add_bias_to_rows(
    const float *d_in, int rows, int cols, int ld, const float *d_bias, float *d_out) {
  if (rows == 0 || cols == 0)
    return; // a launch of no blocks is an error
  // TODO 2: blocks and grid have to cover the window the way the kernel walks it.
  const dim3 block(32, 8);
  const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  // end of TODO
  add_bias<<<grid, block>>>(d_in, rows, cols, ld, d_bias, d_out);
}
