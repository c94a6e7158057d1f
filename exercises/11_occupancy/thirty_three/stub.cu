// 11.2 · Thirty-three columns
//
// A matrix of 33 columns: to the numbers of each column another one is added. A block for each row, a thread
// for each column: right, and a multiprocessor holds as many warps as it can. But who is in there?
#include <cuda_runtime.h>

constexpr int columns = 33;

// TODO: of the 64 lanes that a block takes 33 have work. Share the work out in another way, in blocks of any
// size, so that all warps but the last are full. The matrix is rows * columns numbers, row after row.
__global__ void add_row(const int *in, int rows, const int *added, int *out) {
  const int row = blockIdx.x, col = threadIdx.x;
  if (row < rows)
    out[row * columns + col] = in[row * columns + col] + added[col];
}

// rows > 0; `added` has 33 numbers.
void add_to_columns(const int *d_in, int rows, const int *d_added, int *d_out) {
  add_row<<<rows, columns>>>(d_in, rows, d_added, d_out);
}
// end of TODO
