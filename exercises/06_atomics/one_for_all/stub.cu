// 06.3 · One asks for all
//
// Which pixels of a photograph of the sky are stars: as bright as a limit, or brighter? With the limit 7, and pixels 3 9 1 7,
// the answers are 1 and 3, in any order. The threads that find one draw places for their answers, all from
// one counter in global memory.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers; out has room for n answers, in any order. *found is 0 at first, and ends
// as the number of answers. A warp looks at 128 numbers that lie side by side: each lane at four, 32 apart.
__global__ void where(const unsigned *in, int n, unsigned limit, int *out, int *found) {
  const int lane = threadIdx.x % 32;
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x - lane) * 4; // of the warp's 128 numbers
  // TODO: let the lanes find out how many answers the warp has in all four rounds, before one of them draws for all.
  for (int k = 0; k < 4; ++k) {
    const int i = begin + 32 * k + lane;
    if (i < n && in[i] >= limit)
      out[atomicAdd(found, 1)] = i;
  }
  // end of TODO
}
