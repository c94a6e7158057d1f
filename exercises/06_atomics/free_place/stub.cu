// 06.1 · A place of its own
//
// Numbers above 0 go to the front of a list, in any order. The threads take each other's places.
#include <cuda_runtime.h>

// Enough threads for n numbers; out has room for all of them. *kept is 0 at first, and ends as the number of those in
// the list.
__global__ void list_positive(const int *in, int n, int *out, int *kept) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: between a thread's look at *kept and its store, others look at it, too.
  if (i < n && in[i] > 0) {
    const int place = *kept;
    *kept = place + 1;
    out[place] = in[i];
  }
  // end of TODO
}
