// 06.2 · Farthest from zero
//
// Of n floats the one that lies farthest from 0, on either side. There is no atomic operation for it: make one of
// atomicCAS.
#include <cuda_runtime.h>

// Of two that lie equally far the positive one counts as farther. No NaN.
__device__ bool is_farther(float value, float than) {
  return fabsf(value) > fabsf(than) || (fabsf(value) == fabsf(than) && value > than);
}

// *address becomes value if that is farther.
__device__ void atomic_farthest(float *address, float value) {
  // TODO: a test and a store are two things, and somebody may come in between. atomicCAS(bits, seen, wanted)
  // stores only if *bits still equals seen, and returns what was there. __float_as_uint() and
  // __uint_as_float() change between a float and its bits.
  if (is_farther(value, *address))
    *address = value;
  // end of TODO
}

// *farthest is 0 at first.
__global__ void farthest_of(const float *in, int n, float *farthest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomic_farthest(farthest, in[i]);
}
