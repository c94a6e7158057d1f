// 02.5 · A loom
//
// Where a column and a row of a cloth cross, one of their two yarns lies on top: 1 if it is the column's. Each column hangs on
// one of 8 shafts, and for each row one of 8 treadles is pressed, which lifts some of the shafts: bit s of lifts[t] says
// whether treadle t lifts shaft s. In a row with treadle 2 and lifts[2] = 5 the columns on shafts 0 and 2 lie on top.
#include <cuda_runtime.h>

constexpr int most = 1024; // columns, and rows

// TODO 1: constant memory hands one word at a time to a whole warp. Which of these tables gain by that, as the warps of their
// kernel read them? Put those there.
__device__ int shaft_of[most]; // of each column
__device__ int treadle_of[most]; // of each row
__device__ int lifts[8];
__device__ int dye_of_col[most]; // of a column's yarn
__device__ int dye_of_row[most]; // of a row's
// end of TODO

// Blocks of 32 x h threads, enough of them. Done as it is.
__global__ void weave(int rows, int cols, int *cloth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols)
    return;
  const int treadle = treadle_of[row] & 7;
  const int lifted = lifts[treadle];
  const int shaft = shaft_of[col];
  cloth[row * cols + col] = lifted >> shaft & 1;
}

// Both dyes where yarns cross, column after column. Blocks of 1 x 32 threads, enough of them. Done as it is.
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

// The same: `count` rows from row `first` on get other treadles; all others keep theirs.
void press(const int *h_treadles, int first, int count) {
  // TODO 2: this is right as long as first is 0. A fourth argument says how many bytes from the table's front a copy begins.
  cudaMemcpyToSymbol(treadle_of, h_treadles, count * sizeof(int));
  // end of TODO
}
