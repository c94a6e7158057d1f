// 09.3 · Two products at once
//
// C = A B, and E = A B', where column col of B' is column col + 1 of B. If C is the height of the ground, E is the height
// one step to the right: where E is larger, the ground rises. A is M x K, B is K x (N + 1), C and E are M x N, all stored
// row by row; M, N and K are multiples of TILE. With A = (1), B = (5 5 8) it is C = (5 5), E = (5 8).
#include <cuda_runtime.h>

constexpr int TILE = 32; // a block computes TILE x TILE elements of C and of E, with 128 threads

// TODO 1: eight results of each stand in a column. Which of the four shapes takes the fewest loads?
constexpr int DOWN = 8, ACROSS = 1; // results of each, below and beside each other
// end of TODO
static_assert(DOWN * ACROSS == 8);

// Blocks of 32 x 4 threads.
__global__ void multiply(const float *A, const float *B, float *C, float *E, int N, int K) {
  __shared__ float s_A[TILE][TILE + 1], s_B[TILE][TILE + 1]; // of B one column more
  const int tid = threadIdx.y * TILE + threadIdx.x;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  const int y = tid / (TILE / ACROSS), x = tid % (TILE / ACROSS);
  const auto row_of = [&](int i) { return y + i * (TILE / DOWN); }; // in the tile: of its results
  // TODO 2: in which columns do they stand, j from 0 to ACROSS - 1?
  const auto col_of = [&](int j) { return x + j * (TILE / ACROSS); };
  // end of TODO
  float sum_C[DOWN][ACROSS] = {}, sum_E[DOWN][ACROSS] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    for (int i = tid; i < TILE * TILE; i += 128)
      s_A[i / TILE][i % TILE] = A[(row0 + i / TILE) * K + k0 + i % TILE];
    for (int i = tid; i < TILE * (TILE + 1); i += 128)
      s_B[i / (TILE + 1)][i % (TILE + 1)] =
          B[(k0 + i / (TILE + 1)) * (N + 1) + col0 + i % (TILE + 1)];
    __syncthreads();
    // TODO 3: each result by itself. What could products of one k share?
    for (int i = 0; i < DOWN; ++i)
      for (int j = 0; j < ACROSS; ++j)
        for (int k = 0; k < TILE; ++k) {
          sum_C[i][j] += s_A[row_of(i)][k] * s_B[k][col_of(j)];
          sum_E[i][j] += s_A[row_of(i)][k] * s_B[k][col_of(j) + 1];
        }
    // end of TODO
    __syncthreads();
  }
  for (int i = 0; i < DOWN; ++i)
    for (int j = 0; j < ACROSS; ++j) {
      C[(row0 + row_of(i)) * N + col0 + col_of(j)] = sum_C[i][j];
      E[(row0 + row_of(i)) * N + col0 + col_of(j)] = sum_E[i][j];
    }
}
