// 02.5 · A loom
//
// Where a column and a row of a cloth cross, one of their two yarns lies on top: 1 if it is the column's. Each column hangs on
// one of 8 shafts, and for each row one of 8 treadles is pressed, which lifts some of the shafts: bit s of lifts[t] says
// whether treadle t lifts shaft s. In a row with treadle 2 and lifts[2] = 5 the columns on shafts 0 and 2 lie on top.
#include <cuda_runtime.h>

// Your pattern, of 8 columns and 8 rows, which is repeated. This one is houndstooth: design another.
void design(int *shafts, int *treadles, int *lifted, int *dyes) {
  for (int i = 0; i < 8; ++i) {
    shafts[i] = i; // of column i
    treadles[i] = i; // of row i
    lifted[i] = 0x33 << i | 0x33 >> (8 - i); // by treadle i: two of four, one further each time
    dyes[i] = i / 4; // of yarn i, both ways: four light ones, four dark ones
  }
}

constexpr int most = 1024; // columns, and rows

// TODO 1: constant memory hands one word at a time to a whole warp. Which of these tables gain by that, as the warps of their
// kernel read them? Put those there.
__device__ int shaft_of[most]; // of each column
__device__ int treadle_of[most]; // of each row
__device__ int lifts[8];
__device__ int dye_of_col[most]; // of a column's yarn
__device__ int dye_of_row[most]; // of a row's
// end of TODO

// 1 where the column's yarn lies on top, else 0. Blocks of 32 x h threads, enough of them.
__global__ void weave(int rows, int cols, int *cloth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols)
    return;
  const int treadle = treadle_of[row] & 7; // from 0 to 7, whatever stands there
  // TODO 2: is the column's shaft among those that this treadle lifts?
  (void)treadle;
  cloth[row * cols + col] = 0;
  // end of TODO
}

// Where a column's and a row's yarn cross, the dyes of both, in one number; column after column. Blocks of 1 x 32 threads,
// enough of them. Done as it is.
__global__ void dye(int rows, int cols, int *dyes) {
  const int col = blockIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols)
    return;
  const int of_column = dye_of_col[col];
  const int of_row = dye_of_row[row];
  dyes[col * rows + row] = 16 * of_column + of_row;
}

// Called by the host before any launch, perhaps several times; what h_ points to lies in host memory.
void set_up(const int *h_shaft_of,
            const int *h_lifts,
            const int *h_dye_of_col,
            const int *h_dye_of_row) {
  cudaMemcpyToSymbol(shaft_of, h_shaft_of, most * sizeof(int));
  cudaMemcpyToSymbol(lifts, h_lifts, 8 * sizeof(int));
  cudaMemcpyToSymbol(dye_of_col, h_dye_of_col, most * sizeof(int));
  cudaMemcpyToSymbol(dye_of_row, h_dye_of_row, most * sizeof(int));
}

// The same: `count` rows from row `first` on get other treadles; all others keep theirs. (cudaMemcpyToSymbol takes the symbol,
// the source, a number of bytes, and, if one wants, the offset in the symbol, in bytes, at which they go.)
void press(const int *h_treadles, int first, int count) {
  // TODO 3: this copies to the table's front, whatever first is.
  cudaMemcpyToSymbol(treadle_of, h_treadles, count * sizeof(int));
  // end of TODO
}
