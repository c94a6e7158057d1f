// 09.2 · A tune against itself, and a ragged edge
//
// Where does a tune come back? For any two of its places, row and col, this compares the phrases of K notes that begin
// there. It is a product by tiles, with == for *. Wanted is for how long the two go together: how many notes agree
// before the first that does not. A phrase that begins near the end has fewer notes. In the tune a b a c a c, with K = 4:
// from 0 and 2 on there are a b a c and a c a c, which go together for one note, though three agree; from 2 and 4 on
// there are a c a c and a c, which go together for two.
#include <cuda_runtime.h>
#include <math.h>

constexpr int TILE = 16; // a block has TILE x TILE threads and computes TILE x TILE elements of C

// tune: n notes, which are any floats. C: n x n, row by row.
__global__ void alike(const float *tune, int n, int K, int *C) {
  __shared__ float s_A[TILE][TILE], s_B[TILE][TILE]; // [row][k], [k][col]
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  int agree = 0;
  // TODO: this takes K to be a multiple of TILE, and the tune to go on behind its end; and it counts notes that agree
  // behind the first that does not. Make it right for any n and K. In a product 0 fills up what is not there. But here 0
  // agrees with 0.
  for (int k0 = 0; k0 < K; k0 += TILE) {
    s_A[y][x] = tune[row + k0 + x];
    s_B[y][x] = tune[col + k0 + y];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      agree += s_A[y][k] == s_B[k][x];
    __syncthreads();
  }
  // end of TODO
  if (row < n && col < n)
    C[row * n + col] = agree;
}
