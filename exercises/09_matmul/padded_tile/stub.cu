// 09.5 · A tile without conflicts
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row, all edges multiples of TILE.
// A's tile is kept turned over, as s_A[k][row]: later steps of the chapter need it so.
#include <cuda_runtime.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C

__global__ void multiply(const float *A, const float *B, float *C, int N, int K) {
  // TODO: a warp is two rows of threads. It stores 16 columns of s_A, two words of each, in 8 rounds. One change of
  // these two lines is enough; which one, your paper knows better than the lesson.
  __shared__ float s_A[TILE][TILE]; // [k][row]
  __shared__ float s_B[TILE][TILE]; // [k][column]
  // end of TODO
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    s_A[x][y] = A[row * K + k0 + x];
    s_B[y][x] = B[(k0 + y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += s_A[k][y] * s_B[k][x];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
