// 05.2 · The sum of a block
//
// Every block adds up its own part of `in` and leaves one number: out[blockIdx.x]. In the lesson a block has a power
// of two of threads, and each half has a partner for everybody. Here it may have 96, or 992.
#include <cuda_runtime.h>

// blockDim.x is a multiple of 32, at most 1024. There are enough blocks for n elements, and at least
// one. Where the last block has more threads than elements are left, those threads add nothing.
__global__ void block_sum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024]; // s_data[tid]: what thread tid has added up so far
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;

  // TODO: put this thread's element into s_data[tid], or 0 where there is none. Then add in rounds: in each one
  // the front half of the numbers that are left takes in the back half. Of an odd number of them one has no partner.
  s_data[tid] = i;
  // end of TODO

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
