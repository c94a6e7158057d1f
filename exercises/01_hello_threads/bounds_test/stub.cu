// 01.1 · A ring of cells
//
// A strip of cells is closed to a ring with half a twist, as Möbius did: across the seam, between the last cell and the first,
// each sees the other from the back, every bit turned over (~). Of the ring a b c, a has ~c to its left, and c has ~a to its
// right. A cell's next generation is left ^ (itself | right), which is called rule 30; each of its 32 bits is on its own.
#include <cuda_runtime.h>

// There are n cells, at least one, and at least n threads.
__global__ void next_generation(const unsigned *now, int n, unsigned *next) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // TODO: this reads in front of the first cell and behind the last one. Close the ring.
  const unsigned left = now[i - 1];
  const unsigned right = now[i + 1];
  // end of TODO
  next[i] = left ^ (now[i] | right);
}
