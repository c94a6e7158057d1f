// 05.6 · A sum by shuffles
//
// Lanes of a warp can read each other's registers: no shared memory, no barrier. Only the sums of the
// warps still have to meet in shared memory.
#include <cuda_runtime.h>

// TODO 1: the sum of `value` over the 32 lanes; lane 0 has to have it. __shfl_down_sync(mask, value,
// offset) is the value of the lane `offset` further up; all 32 lanes take part.
__device__ unsigned warp_sum(unsigned value) { return value; }
// end of TODO

// blockDim.x is a multiple of 32, at most 1024.
__global__ void block_sum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_sums[32]; // one for each warp
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int i = blockIdx.x * blockDim.x + tid;
  unsigned sum = warp_sum(i < n ? in[i] : 0);

  // TODO 2: each warp leaves its sum in s_sums, and then the first warp adds these up in the same way.
  // There may be fewer than 32 warps.
  s_sums[warp] = sum;
  // end of TODO

  if (tid == 0)
    out[blockIdx.x] = sum;
}
