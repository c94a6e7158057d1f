// 08.5 · Once over the link
//
// The smallest and the largest of n numbers that lie in page-locked memory of the host. Right, and up to
// sixteen times as many bytes cross the link as there are.
#include <cuda_runtime.h>

// `in` is zero-copy memory. out[0] is the largest unsigned at first, and becomes the smallest number;
// out[1] is 0 at first, and becomes the largest. Any launch; n may be 0.
__global__ void min_max(const unsigned *in, int n, unsigned *out) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  const int threads = gridDim.x * blockDim.x;
  unsigned smallest = ~0u, largest = 0;
  // TODO: each number once, and the lanes of a warp side by side.
  const int share = (n + threads - 1) / threads; // of a thread
  const int begin = tid * share, end = begin + share < n ? begin + share : n;
  for (int i = begin; i < end; ++i)
    smallest = in[i] < smallest ? in[i] : smallest;
  for (int i = begin; i < end; ++i)
    largest = in[i] > largest ? in[i] : largest;
  // end of TODO
  atomicMin(&out[0], smallest);
  atomicMax(&out[1], largest);
}
