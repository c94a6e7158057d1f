// 09.3 · Two products at once
//
// C = A B, and E = A D. A is M x K, B and D are K x N, C and E are M x N, all stored row by row, all edges multiples of
// TILE.
#include <cuda_runtime.h>

constexpr int TILE = 32; // a block computes TILE x TILE elements of C and of E, with 128 threads

// TODO: eight results of each in a column, and three loads for two products. One load for two is enough, in another order
// of the loops below, and for results of another shape.
constexpr int DOWN = 8, ACROSS = 1; // results of each, below and beside each other
// end of TODO
static_assert(DOWN * ACROSS == 8);

// Blocks of 32 x 4 threads.
__global__ void
multiply(const float *A, const float *B, const float *D, float *C, float *E, int N, int K) {
  __shared__ float s_A[TILE][TILE + 1], s_B[TILE][TILE], s_D[TILE][TILE];
  const int tid = threadIdx.y * TILE + threadIdx.x;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  constexpr int rows = TILE / DOWN, cols = TILE / ACROSS; // how far a thread's results are apart
  const int y = tid / cols, x = tid % cols; // its first, in the tile
  float sum_C[DOWN][ACROSS] = {}, sum_E[DOWN][ACROSS] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = tid; i < TILE * TILE; i += 128) {
      const int row = i / TILE, col = i % TILE;
      s_A[row][col] = A[(row0 + row) * K + k0 + col];
      s_B[row][col] = B[(k0 + row) * N + col0 + col];
      s_D[row][col] = D[(k0 + row) * N + col0 + col];
    }
    __syncthreads();
    // TODO: each result by itself. What could products of one k share?
    for (int i = 0; i < DOWN; ++i)
      for (int j = 0; j < ACROSS; ++j)
        for (int k = 0; k < TILE; ++k) {
          sum_C[i][j] += s_A[y + i * rows][k] * s_B[k][x + j * cols];
          sum_E[i][j] += s_A[y + i * rows][k] * s_D[k][x + j * cols];
        }
    // end of TODO
    __syncthreads();
  }
  for (int i = 0; i < DOWN; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      C[(row0 + y + i * rows) * N + col0 + x + j * cols] = sum_C[i][j];
      E[(row0 + y + i * rows) * N + col0 + x + j * cols] = sum_E[i][j];
    }
}
