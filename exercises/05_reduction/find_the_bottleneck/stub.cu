// 05.4 · Find the bottleneck
//
// How loud is a song? A thread finds the loudest of four samples that lie side by side: 3, -7, 5 and 2 are as loud as 7.
// Then a tree finds the loudest of the block. All is right. For a block of 256 threads an observer counted:
//
//                                          requests   each
//   samples, from global memory                32     2 sectors
//   samples, into shared memory                32     1 wavefront
//   samples, out of shared memory              32     4 wavefronts
//   how loud a thread is, into shared memory    8     1 wavefront
//   the tree, out of shared memory             95     1 wavefront
//   the tree, into shared memory               47     1 wavefront
//   of_thread, into global memory               8     4 sectors
//
// In each cycle a multiprocessor's shared memory serves one wavefront. In the same cycle DRAM brings or takes 17.8 bytes for
// this multiprocessor; a sector has 32 bytes.
// Somebody wrote down four cures, each of which would be right. Coffee has run over one of them:
//   A   the four samples stay in shared memory, and neighbours begin with different ones, so that no lanes share a bank
//   B   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//   C   the tree begins with the largest stride
//   D   the tree has no barrier of the block where the threads of a warp are among themselves
// A, C and D do not bring shared memory below DRAM, each for itself. B did, with no sector more.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 256. of_thread has an element for each thread, of_block for each block.
// n is a multiple of 4. Samples from n on are silent.
__global__ void loudness(const short *samples, int n, int *of_thread, int *of_block) {
  const int tid = threadIdx.x, threads = blockDim.x;
  const int first = blockIdx.x * threads * 4; // of the block's samples

  // TODO: for how many cycles is each of the two busy, and for how many with A, with C, with D? So what was B?
  __shared__ int s_samples[256 * 4], s_loudest[256];
  for (int k = tid; k < threads * 4; k += threads)
    s_samples[k] = first + k < n ? samples[first + k] : 0;
  __syncthreads();
  int loudest = 0;
  for (int k = 0; k < 4; ++k)
    loudest = max(loudest, abs(s_samples[4 * tid + k]));

  s_loudest[tid] = loudest;
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    if ((tid & (2 * stride - 1)) == 0)
      s_loudest[tid] = max(s_loudest[tid], s_loudest[tid + stride]);
    __syncthreads();
  }
  // end of TODO

  of_thread[blockIdx.x * threads + tid] = loudest;
  if (tid == 0)
    of_block[blockIdx.x] = s_loudest[0];
}
