// 09.5 · A tile without conflicts
//
// C = A B. A is M x K, B is K x N, C is M x N, all stored row by row; M and N are multiples of TILE, K of DEPTH. Blocks
// of 256 threads. A's tile has 256 words, and all other shared memory is taken: there is none for padding.
#include <cuda_runtime.h>

constexpr int TILE = 32; // a block computes TILE x TILE elements of C
constexpr int DEPTH = 8; // terms at a time
constexpr int WORDS = DEPTH * TILE;

// Which word of A's tile, from 0 to WORDS - 1, keeps the element in this row and at this k.
__device__ int place(int k, int row) {
  // TODO: a warp stores four rows, each with all its 8 k, and 8 lanes meet in each bank they use. Find other places. Rows
  // 0 to 3 of a k stay side by side, from a multiple of four on, and so do rows 4 to 7, and so on: four are loaded at once.
  return k * TILE + row;
  // end of TODO
}

__global__ void multiply(const float *A, const float *B, float *C, int N, int K) {
  __shared__ alignas(16) float s_A[WORDS];
  __shared__ float s_B[DEPTH][TILE];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * TILE, col = blockIdx.x * TILE + lane;
  float sum[4] = {}; // of the rows from 4 * warp on
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
    s_A[place(tid % DEPTH, tid / DEPTH)] = A[(row0 + tid / DEPTH) * K + k0 + tid % DEPTH];
    s_B[warp][lane] = B[(k0 + warp) * N + col];
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      const float4 a = *reinterpret_cast<const float4 *>(&s_A[place(k, 4 * warp)]);
      const float b = s_B[k][lane];
      sum[0] += a.x * b;
      sum[1] += a.y * b;
      sum[2] += a.z * b;
      sum[3] += a.w * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    C[(row0 + 4 * warp + i) * N + col] = sum[i];
}

// For the check: which word has the element of each k and row.
__global__ void list_places(int *words) {
  words[threadIdx.x] = place(threadIdx.x / TILE, threadIdx.x % TILE);
}
