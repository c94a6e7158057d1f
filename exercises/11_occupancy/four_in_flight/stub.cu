// 11.6 · Four in flight
//
// Three times each number, and one. A thread loads, waits, and stores; to keep memory busy it takes as many
// warps as a multiprocessor holds. A quarter of them would do if each thread had four loads under way.
#include <cuda_runtime.h>

// Blocks of `threads` threads that n numbers need; 0 for none.
// TODO 1: each thread takes four numbers.
int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
// end of TODO

// `in` and `out` are multiples of 4 bytes. They may overlap: nothing says they do not.
__global__ void three_n_plus_1(const unsigned *in, int n, unsigned *out) {
  // TODO 2: four numbers; all loads before the first store. Neighbours load neighbouring numbers.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * in[i] + 1;
  // end of TODO
}
