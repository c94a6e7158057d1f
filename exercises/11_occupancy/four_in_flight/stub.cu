// 11.3 · Four in flight
//
// A gather: numbers are fetched from places that stand in a list. A thread loads its place, waits, loads the number
// there, waits, and stores; to keep memory busy it takes as many warps as a multiprocessor holds. A quarter of them
// would do if each thread had four loads under way.
#include <cuda_runtime.h>

// Blocks of `threads` threads that n numbers need; 0 for none.
// TODO 1: each thread takes four numbers.
int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
// end of TODO

// out[i] = in[places[i]] for each i below n. `out` may overlap the others: nothing says it does not.
__global__ void gather(const int *in, const int *places, int n, int *out) {
  // TODO 2: four numbers. Nothing is stored before all of them have been loaded. Neighbours take neighbouring places.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[places[i]];
  // end of TODO
}
