// 09.7 · A game of 2048
//
// The sums of the columns of a matrix that has very many rows. A term that joins a long sum loses most of its digits; two
// sums that are about equal lose hardly any. So play 2048: only equals become one.
#include <cuda_runtime.h>

// A thread for each column. in: rows x cols, row after row.
__global__ void column_sums(const float *in, int rows, int cols, float *out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols)
    return;
  float sum = 0.0f;
  // TODO: each term comes as a tile of one term. Whenever two tiles have equally many terms they become one, which may
  // meet its equal in turn. Add up what is left in the end. Floats, no other additions, and no Kahan.
  for (int row = 0; row < rows; ++row)
    sum += in[static_cast<size_t>(row) * cols + col];
  // end of TODO
  out[col] = sum;
}
