// 05.4 · Find the bottleneck
//
// How loud is a song? A thread has 32 samples that lie side by side, and finds how loud the loudest of them is: 3, -7 and
// 5 are as loud as 7. Then a tree finds it for the whole block. The samples come through shared memory, so that a warp
// loads neighbours. All is right. For a block of 256 threads an observer counted:
//
//                                    requests   for each
//   samples, from global memory         256     4 sectors
//   samples, into shared memory         256     1 wavefront
//   samples, out of shared memory       256    32 wavefronts
//   the tree, out of shared memory       24     1 wavefront
//
// In a cycle shared memory serves one wavefront, and DRAM brings 17.8 bytes, a multiprocessor's share; a sector is 32 bytes.
// Four cures have been suggested, with what each of them saves:
//   - two stretches of samples for each thread: every other tree;
//   - the tree's rounds written out: what the loop counts and compares;
//   - the tree's last 64 numbers left to one warp: six of nine barriers;
//   - each thread's samples taken in another order: not one request.
// Which unit is the busiest, and which cure takes most from it? Apply that one and no other.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 256. of_thread has an element for each thread, of_block for each block.
// Samples from n on are silent. A sample has 16 bits.
__global__ void loudness(const int *samples, int n, int *of_thread, int *of_block) {
  __shared__ int s_samples[256 * 32], s_loudest[256];
  const int tid = threadIdx.x, threads = blockDim.x;
  const int first = blockIdx.x * threads * 32; // of the block's samples
  for (int k = tid; k < threads * 32; k += threads)
    s_samples[k] = first + k < n ? samples[first + k] : 0;
  __syncthreads();

  // TODO: the cure that takes most from the busiest unit, without another word of shared memory.
  int loudest = 0;
  for (int k = 0; k < 32; ++k)
    loudest = max(loudest, abs(s_samples[32 * tid + k]));
  of_thread[blockIdx.x * threads + tid] = loudest;

  s_loudest[tid] = loudest;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_loudest[tid] = max(s_loudest[tid], s_loudest[tid + stride]);
    __syncthreads();
  }
  if (tid == 0)
    of_block[blockIdx.x] = s_loudest[0];
  // end of TODO
}
