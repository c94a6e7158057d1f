// 09.4 · Eight by eight
//
// C = A B is a large picture that nobody needs: wanted is a small one, whose points are the largest of each 8 x 8
// elements of C. So a thread computes a square of C, and stores one number. A is M x K, B is K x N, row by row; M and N
// are multiples of TILE, K is one of SLICE.
#include <cuda_runtime.h>

constexpr int TILE = 64; // a block computes TILE x TILE elements of C
constexpr int SLICE = 8; // of K, at a time
constexpr int MINE = 8; // a thread has MINE x MINE of them, a square

// Blocks of 8 x 8 threads. largest: (M / 8) x (N / 8).
__global__ void multiply(const float *A, const float *B, float *largest, int N, int K) {
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
    // TODO: 16 loads serve 64 products, but those of s_A take two rounds of the banks each. Let them take one.
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
  float most = sum[0][0];
  for (int i = 0; i < MINE; ++i)
    for (int j = 0; j < MINE; ++j)
      most = fmaxf(most, sum[i][j]);
  largest[(row0 / 8 + y) * (N / 8) + col0 / 8 + x] = most;
}
