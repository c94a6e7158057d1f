// 06.4 · The last one turns out the lights
//
// A house at night: row r has n readings of how light it is in room r. The mean of each row in one launch: a row has several
// blocks, each of which leaves its sum, and the one of them that is done last adds these up and divides. So 2, 4, 9 and 3
// make 4. Sums may be longer than 32 bits. Nearly right.
#include <cuda_runtime.h>

// Rounded down; 0 of no numbers.
__device__ unsigned mean_of(unsigned long long sum, int n) { return n > 0 ? sum / n : 0; }

// Blocks of 64 threads: gridDim.x for each row of n numbers, and blockIdx.y is the row. partials has a place for each
// block. tickets has an element for each row: they are 0 at first, and have to be 0 at the end, for the next launch.
__global__ void means(
    const unsigned *in, int n, unsigned long long *partials, unsigned *tickets, unsigned *results) {
  __shared__ unsigned long long s_data[64];
  __shared__ bool s_last;
  const int tid = threadIdx.x, row = blockIdx.y;
  unsigned long long sum = 0;
  for (int i = blockIdx.x * 64 + tid; i < n; i += gridDim.x * 64)
    sum += in[row * n + i];
  s_data[tid] = sum;
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }

  // TODO: a ticket says that a block's sum is there. Is it, for the others? The last one of which blocks? Who needs to know
  // that this is the one? And what about the next launch?
  unsigned long long *sums = partials + row * gridDim.x; // of this row's blocks
  if (tid == 0)
    sums[blockIdx.x] = s_data[0];
  s_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  if (s_last && tid == 0) {
    unsigned long long all = 0;
    for (int b = 0; b < static_cast<int>(gridDim.x); ++b)
      all += sums[b];
    results[row] = mean_of(all, n);
  }
  // end of TODO
}
