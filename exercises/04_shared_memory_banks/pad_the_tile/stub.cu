// 04.1 · Eight rows of four
//
// A picture with 32 columns is cut up into pieces of 8 rows by 4 columns, and the words of a piece shall lie
// side by side in `out`. A warp fetches 8 rows, one at a time, and stores 8 pieces, one at a time. It is
// right, and each of its reads from s_rows takes 8 rounds.
#include <cuda_runtime.h>

// Blocks of 32 threads; block b has the rows from 8 * b on, and its pieces in the 256 words from 256 * b on.
// Rows past the end are zeros.
__global__ void into_pieces(const unsigned *in, int rows, unsigned *out) {
  const int lane = threadIdx.x;
  const int row0 = blockIdx.x * 8;

  // TODO: both loops are as they should be. In which bank lies s_rows[lane / 4][lane % 4], for each lane?
  // Change as little as you can.
  __shared__ unsigned s_rows[8][32];
  for (int row = 0; row < 8; ++row)
    s_rows[row][lane] = row0 + row < rows ? in[(row0 + row) * 32 + lane] : 0;
  __syncthreads();
  for (int piece = 0; piece < 8; ++piece)
    out[blockIdx.x * 256 + piece * 32 + lane] = s_rows[lane / 4][4 * piece + lane % 4];
  // end of TODO
}
