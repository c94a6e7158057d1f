// 04.4 · Two buffers
//
// In each round every element becomes the exclusive or of its two neighbours: 1 where just one of them is 1. Let a
// single 1 grow, and write each round below the one before: which picture is that? You see it when this is mended. Two
// buffers take turns, so one barrier per round is enough. Here there are half as many, and half as many can do: if a
// thread takes two rounds at once. 0 0 1 0 0 is 0 1 0 1 0 after one round, and 1 0 0 0 1 after two.
#include <cuda_runtime.h>

// Blocks of 256 threads; block b has the elements from 256 * b on. Beyond the block there are zeros in each round, and
// elements past n begin as zeros and take part.
__global__ void grow(const unsigned *in, int n, int rounds, unsigned *out) {
  __shared__ unsigned s_data[2][256];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * 256 + tid;

  // TODO: who reads what others have written, who overwrites what others still read? Mend it with rounds / 2 + 1
  // barriers. Which elements decide what a thread has after two rounds?
  s_data[0][tid] = i < n ? in[i] : 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned *s_from = s_data[round % 2];
    const unsigned left = tid > 0 ? s_from[tid - 1] : 0;
    const unsigned right = tid < 255 ? s_from[tid + 1] : 0;
    s_data[(round + 1) % 2][tid] = left ^ right;
    if (round % 2 == 1) // after a turn of both buffers
      __syncthreads();
  }
  if (i < n)
    out[i] = s_data[0][tid];
  // end of TODO
}
