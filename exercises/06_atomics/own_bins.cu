// 06.1 · Bins of one's own
//
// A histogram of n numbers from 0 to 63. Right, and all blocks wait for each other at 64 words of global
// memory.
#include <cuda_runtime.h>

// Any launch; counts has 64 elements, which are 0 at first. Every number in `in` is below 64.
__global__ void histogram(const unsigned *in, int n, unsigned *counts) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  // TODO: count in shared memory, in 64 bins of the block's own, and add them to counts once.
  for (int i = first; i < n; i += threads)
    atomicAdd(&counts[in[i]], 1u);
  // end of TODO
}
