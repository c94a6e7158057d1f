// 04.2 · No word to spare
//
// Every block turns one tile of 32 x 32 words over its diagonal. The tile fills the block's shared memory
// to the last word: padding does not fit. Where each element is kept is up to you.
#include <cuda_runtime.h>

// The number of the word, from 0 to 1023, in which element (row, col) of the tile is kept.
__device__ int place(int row, int col) {
  // TODO: in this order a row of the tile lies in 32 banks, and a column in one. Find an order in which
  // both lie in 32. Each word has room for one element.
  return 32 * row + col;
  // end of TODO
}

// Blocks of 32 x 8 threads, launched with 4096 bytes of shared memory; in and out have 1024 words for
// each block.
__global__ void turn_tiles(const unsigned *in, unsigned *out) {
  extern __shared__ unsigned s_tile[];
  const int lane = threadIdx.x;
  const int first = blockIdx.x * 1024;
  for (int row = threadIdx.y; row < 32; row += 8)
    s_tile[place(row, lane)] = in[first + 32 * row + lane];
  __syncthreads();
  for (int col = threadIdx.y; col < 32; col += 8)
    out[first + 32 * col + lane] = s_tile[place(lane, col)];
}
