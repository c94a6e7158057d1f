// 09.6 · A sum that loses nothing
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row. A thread for each element of C. Terms have all
// sizes: a large one may come when the sum is small, and another one take it away again.
#include <cuda_runtime.h>

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  // TODO: each addition rounds. Find out what it rounded away, and lose none of it until the sum is complete. With
  // floats: no double is needed.
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];
  // end of TODO
  C[row * N + col] = sum;
}
