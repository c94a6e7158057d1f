// 06.2 · Bins of one's own
//
// Of each kind the two smallest numbers; equal numbers count each. Numbers that begin with as many bits 0 are of one
// kind: 33 kinds, from 0 to 32.
// Right, and all blocks wait for each other at 66 words of global memory.
#include <cuda_runtime.h>

// atomicMin(place, number) leaves the smaller of both there, and returns what stood there before.
// two[0] is the smallest so far, two[1] the second: whoever is not the smallest, or is no longer, goes on to two[1].
__device__ void offer(unsigned *two, unsigned number) {
  const unsigned before = atomicMin(&two[0], number);
  atomicMin(&two[1], max(before, number));
}

// A number's kind is __clz(number): how many bits 0 it begins with.
// Any launch; smallest has 2 * 33 elements, two for each kind, which are ~0u at first: no number is larger.
__global__ void two_smallest_of_each(const unsigned *in, int n, unsigned *smallest) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  // TODO: look for them in shared memory, in 33 bins of the block's own with two numbers each. Then hand these over.
  for (int i = first; i < n; i += threads)
    offer(&smallest[2 * __clz(in[i])], in[i]);
  // end of TODO
}
