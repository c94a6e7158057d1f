// 09.2 · Shortest ways, and a ragged edge
//
// From M towns over one of K others to N towns: A has the lengths of the first roads, M x K, B those of the second
// ones, K x N. C, M x N, gets the lengths of the shortest ways: the smallest A[row][k] + B[k][col] of all k. All are
// stored row by row. That is a product by tiles, with + for * and the smaller one for +.
#include <cuda_runtime.h>
#include <math.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C

// No length is below 0. INFINITY: there is no road; and no way, if all of them are so long.
__global__ void shortest(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float best = INFINITY;
  // TODO: this is right as long as M, N and K are multiples of TILE. Make it right for any. In a sum of products a 0
  // changes nothing; what changes nothing here?
  for (int k0 = 0; k0 < K; k0 += TILE) {
    s_A[y][x] = A[row * K + k0 + x];
    s_B[y][x] = B[(k0 + y) * N + col];
    // end of TODO
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      best = fminf(best, s_A[y][k] + s_B[k][x]);
    __syncthreads();
  }
  if (row < M && col < N)
    C[row * N + col] = best;
}
