// 06.3 · One asks for all
//
// Keep the even numbers, in any order: out[0], out[1], … Each thread that keeps one asks a counter in
// global memory for a place.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers. *count is 0 at first and ends as the number of places taken.
__global__ void keep_even(const unsigned *in, int n, unsigned *out, unsigned *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && in[i] % 2 == 0;
  // TODO: let the lanes that keep something count each other, and one of them ask for all: one atomic for
  // a warp. __ballot_sync(mask, keep) has a bit for each lane; __popc() counts bits; __shfl_sync() hands a
  // value of one lane to all.
  if (keep)
    out[atomicAdd(count, 1u)] = in[i];
  // end of TODO
}
