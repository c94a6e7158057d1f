// 09.6 · A sum that loses nothing
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row. A thread for each element of C. In three digits,
// 1.23 * 4.56 = 5.6088 becomes 5.61: the product has lost -0.0012. And 1000 + 5.61 = 1005.61 becomes 1010: the addition
// has lost -4.39. What is lost is a float itself, and can be kept.
#include <cuda_runtime.h>

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  // TODO: keep what products and additions lose until the sum is complete, and put it back. With floats: no double is
  // needed. fmaf(a, b, c) is a * b + c, rounded once. For a GPU nvcc makes one of a * b and a later +, if it can;
  // __fmul_rn(a, b) stays a product.
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];
  // end of TODO
  C[row * N + col] = sum;
}
