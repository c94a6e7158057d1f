// 07.1 · Four tills
//
// A kernel squares a row of a table, as a till takes a customer: one has a full trolley, another a loaf of bread. All of
// them queue at a single till. Four may be open.
#include <cuda_runtime.h>

namespace {

// Squares n numbers, by one block: twice as many take twice as long.
__global__ void square(int *row, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    row[i] *= row[i];
}

} // namespace

// Row r: the numbers from d_table[begins[r]] up to d_table[begins[r + 1]]. No row is longer than the one before it. When
// this returns, all of them are squared.
void square_rows(int *d_table, const int *begins, int rows) {
  // TODO: four streams: made, used, waited for and destroyed. Which row goes into which, so that all are soon done?
  for (int row = 0; row < rows; ++row)
    square<<<1, 128>>>(d_table + begins[row], begins[row + 1] - begins[row]);
  cudaDeviceSynchronize();
  // end of TODO
}
