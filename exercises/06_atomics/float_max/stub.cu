// 06.5 · Farthest from zero
//
// Of n floats the one that lies farthest from 0, on either side, and its place: two halves of one word of 64 bits, so
// that they belong together. There is no atomic operation for it: make one of atomicCAS.
#include <cuda_runtime.h>

typedef unsigned long long Word; // the bits of a float above, its place below

__device__ Word word_of(float value, unsigned place) {
  return static_cast<Word>(__float_as_uint(value)) << 32 | place;
}

// Of two that lie equally far the one in the smaller place counts as farther. No NaN.
__device__ bool is_farther(Word word, Word than) {
  const float far = fabsf(__uint_as_float(static_cast<unsigned>(word >> 32)));
  const float far_than = fabsf(__uint_as_float(static_cast<unsigned>(than >> 32)));
  return far > far_than ||
         (far == far_than && static_cast<unsigned>(word) < static_cast<unsigned>(than));
}

// *farthest becomes mine if that is farther.
__device__ void atomic_farthest(Word *farthest, Word mine) {
  // TODO: a test and a store are two things, and somebody may come in between. atomicCAS(word, seen, wanted)
  // stores only if *word still equals seen, and returns what was there.
  if (is_farther(mine, *farthest))
    *farthest = mine;
  // end of TODO
}

// *farthest is 0.0f in place 0xffffffff at first.
__global__ void farthest_of(const float *in, int n, Word *farthest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomic_farthest(farthest, word_of(in[i], i));
}
