// 04.1 · One bank for a column
//
// The sums of the rows of a matrix with 32 columns. A warp fetches 32 rows, one at a time, and then each
// lane adds up a row of its own. It is right, and each of its reads takes 32 rounds.
#include <cuda_runtime.h>

// Blocks of 32 threads; block b has the rows from 32 * b on, as far as there are any.
__global__ void row_sums(const unsigned *in, int rows, unsigned *out) {
  const int lane = threadIdx.x;
  const int row0 = blockIdx.x * 32;
  const int rows_here = rows - row0 < 32 ? rows - row0 : 32;
  unsigned sum = 0;

  // TODO: both loops are as they should be. In which bank lies s_tile[lane][k], for each lane? Change as
  // little as you can.
  __shared__ unsigned s_tile[32][32];
  for (int row = 0; row < rows_here; ++row)
    s_tile[row][lane] = in[(row0 + row) * 32 + lane];
  __syncwarp();
  if (lane < rows_here)
    for (int k = 0; k < 32; ++k)
      sum += s_tile[lane][k];
  // end of TODO

  if (lane < rows_here)
    out[row0 + lane] = sum;
}
