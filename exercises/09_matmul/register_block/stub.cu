// 09.4 · Eight by eight
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row; M and N are multiples of TILE, K is one
// of SLICE. A thread has 64 results, and loads 16 elements for 64 products.
#include <cuda_runtime.h>

constexpr int TILE = 64; // a block computes TILE x TILE elements of C
constexpr int SLICE = 8; // of K, at a time
constexpr int MINE = 8; // a thread has MINE x MINE results

// Blocks of 8 x 8 threads.
__global__ void multiply(const float *A, const float *B, float *C, int N, int K) {
  __shared__ float s_A[SLICE][TILE + 1], s_B[SLICE][TILE]; // [k][row], [k][column]
  const int x = threadIdx.y, y = threadIdx.x; // the lanes of a warp go down the rows
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  float sum[MINE][MINE] = {};
  for (int k0 = 0; k0 < K; k0 += SLICE) {
    for (int k = 8 * x + y; k < TILE * SLICE; k += 64) {
      s_A[k % SLICE][k / SLICE] = A[(row0 + k / SLICE) * K + k0 + k % SLICE];
      s_B[k / TILE][k % TILE] = B[(k0 + k / TILE) * N + col0 + k % TILE];
    }
    __syncthreads();
    // TODO: 16 loads serve 64 products, but take 24 rounds of the banks. Let them take 16, by other places.
    for (int k = 0; k < SLICE; ++k) {
      float a[MINE], b[MINE];
      for (int i = 0; i < MINE; ++i) {
        a[i] = s_A[k][8 * y + i];
        b[i] = s_B[k][8 * x + i];
      }
      for (int i = 0; i < MINE; ++i)
        for (int j = 0; j < MINE; ++j)
          sum[i][j] += a[i] * b[j];
    }
    // end of TODO
    __syncthreads();
  }
  for (int i = 0; i < MINE; ++i)
    for (int j = 0; j < MINE; ++j)
      // TODO: which 64 of the tile a thread computes is yours to choose.
      C[(row0 + 8 * y + i) * N + col0 + 8 * x + j] = sum[i][j];
  // end of TODO
}
