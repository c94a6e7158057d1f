// 01.1 · A ring of cells
//
// The cells stand in a ring: behind the last one comes the first one again. Each has a left and a right neighbour, and in
// the next generation it is left ^ (itself | right), which is called rule 30. (A number has 32 bits, each of which is a
// cell of a ring of its own.)
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
