// 11.1 · Thirty-three columns
//
// A scanner of 33 sensors, each of them a little off, and a lamp that flickers from row to row: to each number of a scan
// something is added for its column, and something for its row. A block for each row, a thread for each column: right,
// and a multiprocessor holds as many warps as it can. But who is in there?
#include <cuda_runtime.h>

constexpr int columns = 33;

// TODO: of the 64 lanes that a block takes 33 have work. Share the work out in another way, in blocks of any
// size, so that all warps but the last are full; and by a loop over the grid, in which a thread loads from of_column
// once, not for each of its numbers. The matrix is rows * columns numbers, row after row.
__global__ void
add_row(const int *in, int rows, const int *of_column, const int *of_row, int *out) {
  const int row = blockIdx.x, col = threadIdx.x;
  if (row < rows)
    out[row * columns + col] = in[row * columns + col] + of_column[col] + of_row[row];
}

// rows > 0. A number for each of the 33 columns, and one for each of the rows.
void add_tables(
    const int *d_in, int rows, const int *d_of_column, const int *d_of_row, int *d_out) {
  add_row<<<rows, columns>>>(d_in, rows, d_of_column, d_of_row, d_out);
}
// end of TODO
