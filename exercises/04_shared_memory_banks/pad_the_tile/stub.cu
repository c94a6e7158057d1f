// 04.1 · Bricks in 32 banks
//
// A picture with 32 columns is cut into pieces of 32 words, and the words of a piece shall lie side by side in `out`. A piece
// has `height` rows, and so 32 / height columns: 8 rows of 4, say, or 2 of 16. A warp stores `height` rows of the picture, one
// at a time, and then reads `height` pieces, one at a time. All is right, but a piece of 8 rows of 4 takes 8 rounds to read. A
// row of it is a brick of 4 banks, and this is how many of its words each of the 32 banks has:
//
//   row 0          1111----------------------------
//   rows 0 and 1   2222----------------------------   row 1 begins 32 words further on, in bank 0 again
//   all 8 rows     8888----------------------------   a pile, and 28 banks have nothing to do
//   wanted         11111111111111111111111111111111   each row's brick beside the one above it
#include <cuda_runtime.h>

// How many words apart rows begin in shared memory. `height` is 1, 2, 4, 8, 16 or 32.
__host__ __device__ int words_apart(int height) {
  // TODO: a brick has 32 / height banks, and a piece has `height` bricks. Let them lie side by side, by one rule for all
  // heights. There is room for up to 64 words a row.
  return 32;
  // end of TODO
}

// Blocks of 32 threads; block b has the rows from height * b on, and its pieces in out from word 32 * height * b on.
// Rows past the end are zeros.
__global__ void into_pieces(const unsigned *in, int rows, int height, unsigned *out) {
  __shared__ unsigned s_rows[32 * 64];
  const int lane = threadIdx.x, width = 32 / height, apart = words_apart(height);
  const int row0 = blockIdx.x * height;
  for (int row = 0; row < height; ++row)
    s_rows[row * apart + lane] = row0 + row < rows ? in[(row0 + row) * 32 + lane] : 0;
  __syncthreads();
  for (int piece = 0; piece < height; ++piece)
    out[(row0 + piece) * 32 + lane] = s_rows[lane / width * apart + piece * width + lane % width];
}
