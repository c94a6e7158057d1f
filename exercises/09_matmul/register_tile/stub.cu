// 09.3 · Four results per thread
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row, all edges multiples of TILE.
#include <cuda_runtime.h>

constexpr int TILE = 32; // a block computes TILE x TILE elements of C, with 256 threads

// TODO: four results in a column, and two loads for each product. One load for each is enough, in another order of
// the loops below, and for results of another shape.
constexpr int DOWN = 4, ACROSS = 1; // a thread's results: below each other, and beside each other
// end of TODO
static_assert(DOWN * ACROSS == 4);

// Blocks of 32 x 8 threads.
__global__ void multiply(const float *A, const float *B, float *C, int N, int K) {
  __shared__ float s_A[TILE][TILE + 1], s_B[TILE][TILE];
  const int tid = threadIdx.y * TILE + threadIdx.x;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  constexpr int rows = TILE / DOWN, cols = TILE / ACROSS; // how far a thread's results are apart
  const int y = tid / cols, x = tid % cols; // its first, in the tile
  float sum[DOWN][ACROSS] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = tid; i < TILE * TILE; i += 256) {
      s_A[i / TILE][i % TILE] = A[(row0 + i / TILE) * K + k0 + i % TILE];
      s_B[i / TILE][i % TILE] = B[(k0 + i / TILE) * N + col0 + i % TILE];
    }
    __syncthreads();
    // TODO: each result by itself. What could products of one k share?
    for (int i = 0; i < DOWN; ++i)
      for (int j = 0; j < ACROSS; ++j)
        for (int k = 0; k < TILE; ++k)
          sum[i][j] += s_A[y + i * rows][k] * s_B[k][x + j * cols];
    // end of TODO
    __syncthreads();
  }
  for (int i = 0; i < DOWN; ++i)
    for (int j = 0; j < ACROSS; ++j)
      C[(row0 + y + i * rows) * N + col0 + x + j * cols] = sum[i][j];
}
