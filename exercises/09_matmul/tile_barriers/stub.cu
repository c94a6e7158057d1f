// 09.1 · A product by tiles
//
// C = At B, where At is A turned over its diagonal: C[row][col] is the sum of A[k][row] * B[k][col]. A is K x M, B
// is K x N, C is M x N, all stored row by row. Nobody turns A beforehand.
#include <cuda_runtime.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C
constexpr int DEPTH = 32; // products of a sum at a time: tiles are deeper than the block

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float s_A[DEPTH][TILE], s_B[DEPTH][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    // TODO: bring DEPTH rows of A into s_A, and of B into s_B, 16 elements of each, so that neighbours in x read
    // neighbours in memory; 0 where the matrices end. Then add up the DEPTH products that are there now. How many
    // elements has each thread to bring? Who has to wait for whom?
    s_A[y][x] = 0.0f;
    s_B[y][x] = 0.0f;
    sum += s_A[y][x] * s_B[y][x];
    // end of TODO
  }
  if (row < M && col < N)
    C[row * N + col] = sum;
}
