// 06.1 · A place of its own
//
// A list is parted, as quicksort does: numbers above 0 to its front, all others to its end, in any order. The threads
// take each other's places.
#include <cuda_runtime.h>

// Enough threads for n numbers; out has room for n. ends[0] is the first free place, 0 at first, and ends[1] the last
// free one, n - 1 at first. Where all have a place, ends[1] is just below ends[0].
__global__ void part(const int *in, int n, int *out, int *ends) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: between a thread's look at an end and its store, others look at it, too.
  if (i < n && in[i] > 0) {
    const int place = ends[0];
    ends[0] = place + 1;
    out[place] = in[i];
  } else if (i < n) {
    const int place = ends[1];
    ends[1] = place - 1;
    out[place] = in[i];
  }
  // end of TODO
}
