// 02.1 · Take turns
//
// Where between `begin` and `end` does `wanted` stand for the last time? Each thread of a grid looks in a piece, from its
// end to its front, and leaves the last place that it finds. That works. With begin = 3 and end = 8 the ints 4 and 5, and 6 and
// 7 are pairs, and int 3 is read alone.
#include <cuda_runtime.h>

// Any number of blocks, of any size; `all` points to a multiple of 8 bytes. Looked at are all[begin] to all[end - 1], and begin
// and end may be odd. Thread t of the grid leaves places[t]: the last place, counted in `all`, among those that it has
// looked at, or -1. The host takes the greatest of them.
__global__ void last_place(const int *all, int begin, int end, int wanted, int *places) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x; // in the whole grid
  const int threads = gridDim.x * blockDim.x;
  int place = -1;
  // TODO: in each round the lanes of a warp read 32 ints that lie far apart. Let all threads take turns, from the end
  // to the front, and read pairs: seen as const int2 *, all[2 * k] and all[2 * k + 1] are element k. Which ints have no
  // partner then, and who looks at them?
  const int piece = (end - begin + threads - 1) / threads;
  const int front = begin + thread * piece;
  for (int i = min(end, front + piece) - 1; i >= front && place < 0; --i)
    if (all[i] == wanted)
      place = i;
  // end of TODO
  places[thread] = place;
}
