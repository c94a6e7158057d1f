// 06.2 · Bins of one's own
//
// Of each kind the smallest number. Numbers that begin with as many bits 0 are of one kind: 33 kinds, from 0 to 32.
// Right, and all blocks wait for each other at 33 words of global memory.
#include <cuda_runtime.h>

// Any launch; smallest has 33 elements, which are ~0u at first: that is larger than any other number.
__global__ void smallest_of_each(const unsigned *in, int n, unsigned *smallest) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  // TODO: look for them in shared memory, in 33 bins of the block's own, and hand these over once.
  for (int i = first; i < n; i += threads)
    atomicMin(&smallest[__clz(in[i])], in[i]);
  // end of TODO
}
