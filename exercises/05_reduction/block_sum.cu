// 05.2 · The sum of a block
//
// Every block adds up its own part of `in` and leaves one number: out[blockIdx.x].
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 1024. There are enough blocks for n elements, and at least
// one. Where the last block has more threads than elements are left, those threads add nothing.
__global__ void block_sum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024]; // s_data[tid]: what thread tid has added up so far
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;

  // TODO: put this thread's element into s_data[tid], or 0 where there is none. Then add in rounds:
  // in each one, the lower half of the threads that are left adds what the upper half holds.
  s_data[tid] = i;
  // end of TODO

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
