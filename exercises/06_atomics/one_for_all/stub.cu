// 06.3 · One asks for all
//
// Where in the input are the numbers from a limit on? The threads that have one draw places for their answers, all from
// one counter in global memory.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers; out has room for n answers, in any order. *found is 0 at first, and ends
// as the number of answers.
__global__ void where(const unsigned *in, int n, unsigned limit, int *out, int *found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool mine = i < n && in[i] >= limit;
  // TODO: let the lanes of a warp find out how many of them have an answer, and one of them draw for all.
  if (mine)
    out[atomicAdd(found, 1)] = i;
  // end of TODO
}
