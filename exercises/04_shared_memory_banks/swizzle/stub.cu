// 04.2 · No word to spare
//
// A tile of 32 x 32 words fills the block's shared memory to the last word. A warp stores it row by row, and reads it twice:
// column by column, and box by box, of 8 rows by 4 columns. Where each element is kept is up to you. With four
// banks, and boxes of 2 x 2, these orders would do: each row, column and box has every bank once.
//   a b | c d
//   c d | a b
//   ----+----
//   b a | d c
//   d c | b a
#include <cuda_runtime.h>

// The number of the word, from 0 to 1023, in which element (row, col) of the tile is kept; its bank is that % 32.
__host__ __device__ int place(int row, int col) {
  // TODO: in this order a row of the tile lies in 32 banks, a column in one, and a box in four. Find one in which each of
  // them lies in 32. Each word has room for one element.
  return 32 * row + col;
  // end of TODO
}

// Blocks of 32 x 8 threads, launched with 4096 bytes of shared memory; in, columns and boxes have 1024 words for each
// block.
__global__ void tiles(const unsigned *in, unsigned *columns, unsigned *boxes) {
  extern __shared__ unsigned s_tile[];
  const int lane = threadIdx.x;
  const int first = blockIdx.x * 1024;
  for (int row = threadIdx.y; row < 32; row += 8)
    s_tile[place(row, lane)] = in[first + 32 * row + lane];
  __syncthreads();
  for (int col = threadIdx.y; col < 32; col += 8)
    columns[first + 32 * col + lane] = s_tile[place(lane, col)];
  for (int box = threadIdx.y; box < 32; box += 8) // eight of them side by side
    boxes[first + 32 * box + lane] = s_tile[place(box / 8 * 8 + lane / 4, box % 8 * 4 + lane % 4)];
}
