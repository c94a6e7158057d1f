// 06.3 · One asks for all
//
// Sort numbers into two heaps, in any order: even ones from the front of `out` on, odd ones from its back. Each
// thread asks a counter in global memory for a place.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers; out has room for n. counts[0], of even numbers, and counts[1], of odd
// ones, are 0 at first and end as the number of places taken.
__global__ void two_heaps(const unsigned *in, int n, unsigned *out, unsigned *counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = i < n;
  const int odd = inside && in[i] % 2 == 1;
  // TODO: let the lanes of a warp that have numbers of one kind count each other, and one of them ask for all: one
  // atomic for each kind. __ballot_sync(mask, holds) has a bit for each lane; __popc() counts bits, __ffs() finds
  // the first one; __shfl_sync() hands a value of one lane to those of a mask.
  if (inside) {
    const unsigned place = atomicAdd(&counts[odd], 1u);
    out[odd ? n - 1 - place : place] = in[i];
  }
  // end of TODO
}
