// 02.1 · Take turns
//
// Where in n ints does `wanted` stand for the last time? Each thread of a grid looks in a piece of the array, from
// its end to its front, and leaves the last place that it finds. It is right.
#include <cuda_runtime.h>

// Any number of blocks, of any size; `in` is a multiple of 8 bytes. Thread t of the grid leaves places[t]: the last
// place among those it has looked at, or -1. The host takes the greatest of them.
__global__ void last_place(const int *in, int n, int wanted, int *places) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x; // in the whole grid
  const int threads = gridDim.x * blockDim.x;
  int place = -1;
  // TODO: in each round the lanes of a warp read 32 ints that lie far apart. Let all threads take turns, from the end
  // of the array to its front, and read pairs: seen as const int2 *, in[2 * k] and in[2 * k + 1] are element k.
  const int piece = (n + threads - 1) / threads;
  for (int i = min(n, (thread + 1) * piece) - 1; i >= thread * piece && place < 0; --i)
    if (in[i] == wanted)
      place = i;
  // end of TODO
  places[thread] = place;
}
