// 07.1 · A stream for each
//
// Each row of a table is squared by a kernel of its own, one row after another, though no row needs another one.
#include <cuda_runtime.h>
#include <vector>

namespace {

// Squares n numbers, by one block.
__global__ void square(int *row, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    row[i] *= row[i];
}

} // namespace

// d_table: `rows` rows of n numbers each, one behind the other. When this returns, they are squared.
void square_rows(int *d_table, int rows, int n) {
  // TODO: a stream for each row: made, used, waited for and destroyed.
  for (int row = 0; row < rows; ++row)
    square<<<1, 128>>>(d_table + row * n, n);
  cudaDeviceSynchronize();
  // end of TODO
}
