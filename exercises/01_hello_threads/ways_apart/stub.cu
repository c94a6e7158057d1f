// 01.5 · Ways apart
//
// A list of numbers, each of which is to be worked on in one of two ways, the even places in one and the odd places
// in the other. Right; but half of the lanes of each warp wait while the other half works.
#include <cuda_runtime.h>

// Collatz's steps from a number to 1, at most 60.
__device__ unsigned steps_to_one(unsigned number) {
  unsigned steps = 0;
  for (; number > 1 && steps < 60; ++steps)
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

// The sum of a number's digits, squared 12 times.
__device__ unsigned digits(unsigned number) {
  unsigned sum = 0;
  for (int round = 0; round < 12; ++round) {
    for (unsigned rest = number; rest > 0; rest /= 10)
      sum += rest % 10;
    number = sum * sum;
  }
  return sum;
}

// Blocks of 128 threads, enough for n numbers; a block has the places from 128 * blockIdx.x on.
__global__ void two_ways(const unsigned *in, int n, unsigned *out) {
  // TODO: which of the block's 128 places does this thread take? Let the lanes of a warp go one way together.
  const int place = threadIdx.x;
  // end of TODO
  const int i = blockIdx.x * 128 + place;
  if (i >= n)
    return;
  if (place % 2 == 0)
    out[i] = steps_to_one(in[i]);
  else
    out[i] = digits(in[i]);
}
