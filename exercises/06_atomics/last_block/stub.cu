// 06.4 · The last one turns out the lights
//
// The mean of n numbers in one launch: every block leaves its sum, and the block that is done last adds them all up and
// divides. Sums may be longer than 32 bits. Nearly right.
#include <cuda_runtime.h>

// Rounded down; 0 of no numbers.
__device__ unsigned mean_of(unsigned long long sum, int n) { return n > 0 ? sum / n : 0; }

// Blocks of 64 threads. *tickets is 0 at first, and has to be 0 at the end: the next launch begins with it.
__global__ void
mean(const unsigned *in, int n, unsigned long long *partials, unsigned *tickets, unsigned *result) {
  __shared__ unsigned long long s_data[64];
  __shared__ bool s_last;
  const int tid = threadIdx.x;
  unsigned long long sum = 0;
  for (int i = blockIdx.x * 64 + tid; i < n; i += gridDim.x * 64)
    sum += in[i];
  s_data[tid] = sum;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  // TODO: a ticket says that a block's sum is there. Is it, for the others? And who needs to know that this
  // was the last one? And what about the next launch?
  if (tid == 0)
    partials[blockIdx.x] = s_data[0];
  s_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  if (s_last && tid == 0) {
    unsigned long long all = 0;
    for (int b = 0; b < static_cast<int>(gridDim.x); ++b)
      all += partials[b];
    *result = mean_of(all, n);
  }
  // end of TODO
}
