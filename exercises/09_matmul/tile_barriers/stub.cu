// 09.1 · A product by tiles
//
// A kaleidoscope: each column of A with each column of A. C[i][j] is the sum of all A[k][i] * A[k][j], so C is a product of
// A, transposed, with A: of (1 2), (3 4) it is (10 14), (14 20). C[j][i] is the same as C[i][j]: the diagonal
// is a mirror, and half of the blocks are enough.
#include <cuda_runtime.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C
constexpr int DEPTH = 32; // products of a sum at a time: tiles are deeper than the block

// A is K x M, C is M x M, both stored row by row. A block for each tile of C.
__global__ void multiply(const float *A, float *C, int M, int K) {
  __shared__ float s_A[DEPTH][TILE], s_B[DEPTH][TILE]; // [k][row], [k][col]
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  // TODO: this adds up zeros. Which blocks have nothing to do? What do the others need in each round, who has to wait for
  // whom, and where does each sum go? Let neighbours in x read neighbours in memory.
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    s_A[y][x] = 0.0f;
    s_B[y][x] = 0.0f;
    sum += s_A[y][x] * s_B[y][x];
  }
  if (row < M && col < M)
    C[row * M + col] = sum;
  // end of TODO
}
