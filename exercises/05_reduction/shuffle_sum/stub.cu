// 05.5 · A sum by shuffles
//
// The sum of the squares of a block's numbers, which may be far more than 32 bits hold. Lanes of a warp can read
// each other's registers: no shared memory, no barrier. Only the sums of the warps still meet in shared memory.
#include <cuda_runtime.h>

// TODO 1: the sum of `value` over the 32 lanes; lane 0 has to have it. __shfl_down_sync(mask, value,
// offset) is the value of the lane `offset` further up; all 32 lanes take part.
__device__ unsigned long long warp_sum(unsigned long long value) { return value; }
// end of TODO

// blockDim.x is a multiple of 32, at most 1024.
__global__ void sum_of_squares(const unsigned *in, int n, unsigned long long *out) {
  __shared__ unsigned long long s_sums[32]; // one for each warp
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int i = blockIdx.x * blockDim.x + tid;
  const unsigned long long mine = i < n ? in[i] : 0;
  unsigned long long sum = warp_sum(mine * mine);

  // TODO 2: each warp leaves its sum in s_sums, and then the first warp adds these up in the same way.
  // There may be fewer than 32 warps.
  s_sums[warp] = sum;
  // end of TODO

  if (tid == 0)
    out[blockIdx.x] = sum;
}
