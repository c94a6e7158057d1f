// 09.2 · A ragged edge to repair
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row.
#include <cuda_runtime.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  // TODO: this is right as long as M, N and K are multiples of TILE. Make it right for any.
  for (int k0 = 0; k0 < K; k0 += TILE) {
    s_A[y][x] = A[row * K + k0 + x];
    s_B[y][x] = B[(k0 + y) * N + col];
    // end of TODO
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += s_A[y][k] * s_B[k][x];
    __syncthreads();
  }
  if (row < M && col < N)
    C[row * N + col] = sum;
}
