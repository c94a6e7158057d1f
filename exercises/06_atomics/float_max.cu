// 06.2 · A maximum that CUDA does not have
//
// The largest of n floats. There is no atomicMax for floats: make one of atomicCAS.
#include <cuda_runtime.h>

// *address becomes the larger of itself and value. Floats of either sign; no NaN.
__device__ void atomic_max(float *address, float value) {
  // TODO: a test and a store are two things, and somebody may come in between. atomicCAS(bits, seen, wanted)
  // stores only if *bits still equals seen, and returns what was there. __float_as_uint() and
  // __uint_as_float() change between a float and its bits.
  if (*address < value)
    *address = value;
  // end of TODO
}

// *largest is minus infinity at first.
__global__ void largest_of(const float *in, int n, float *largest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomic_max(largest, in[i]);
}
