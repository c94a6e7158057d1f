// 11.3 · Four in flight
//
// Leaves in a storm. For each place of a map `wind` says where it blows a leaf next. Each thread follows one leaf, and
// waits at every step, with as many warps as a multiprocessor holds. A quarter of them would do if each thread had four
// leaves in flight.
#include <cuda_runtime.h>

// Blocks of `threads` threads that n leaves need; 0 for none.
// TODO 1: each thread takes four leaves.
int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
// end of TODO

// trail[s * n + i]: where leaf i is after s + 1 steps. It begins at leaves[i]. `trail` may overlap the others: nothing
// says it does not.
__global__ void drift(const int *wind, const int *leaves, int n, int steps, int *trail) {
  // TODO 2: four leaves. At each step all four find out where they are blown before any of them is written down.
  // Neighbours take neighbouring leaves.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int place = leaves[i];
  for (int s = 0; s < steps; ++s) {
    place = wind[place];
    trail[s * n + i] = place;
  }
  // end of TODO
}
