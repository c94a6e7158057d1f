// 09.7 · Settled now and then
//
// The sums of the columns of a matrix that has very many rows. Each addition rounds, and a long sum loses more
// and more. Kahan's loop mends that, and makes four additions of each. Short sums lose little anyway.
#include <cuda_runtime.h>

constexpr int SHORT = 64; // terms of a short sum

// A thread for each column. in: rows x cols, row after row.
__global__ void column_sums(const float *in, int rows, int cols, float *out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols)
    return;
  float sum = 0.0f;
  // TODO: add SHORT terms as they come, and let each short sum join the long one as one term of Kahan's. There may
  // be fewer terms at the end. With floats: no double is needed.
  for (int row = 0; row < rows; ++row)
    sum += in[static_cast<size_t>(row) * cols + col];
  // end of TODO
  out[col] = sum;
}
