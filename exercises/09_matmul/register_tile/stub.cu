// 09.3 · Four results per thread
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row, all edges multiples of TILE.
#include <cuda_runtime.h>

constexpr int TILE = 32; // a block computes TILE x TILE elements of C
constexpr int MINE = 4; // of which a thread has this many, in neighbouring rows

// Blocks of 32 x 8 threads.
__global__ void multiply(const float *A, const float *B, float *C, int N, int K) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y * MINE; // this thread's first row in the tile
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum[MINE] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = 0; i < MINE; ++i) {
      s_A[y + i][x] = A[(row + i) * K + k0 + x];
      s_B[y + i][x] = B[(k0 + y + i) * N + col];
    }
    __syncthreads();
    // TODO: this loads two elements for each product. Let each element of s_B that is loaded serve
    // all four results.
    for (int i = 0; i < MINE; ++i)
      for (int k = 0; k < TILE; ++k)
        sum[i] += s_A[y + i][k] * s_B[k][x];
    // end of TODO
    __syncthreads();
  }
  for (int i = 0; i < MINE; ++i)
    C[(row + i) * N + col] = sum[i];
}
