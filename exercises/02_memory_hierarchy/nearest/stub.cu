// 02.3 · The nearest neighbour
//
// For each star of the sky: which other star is nearest? Stars 0 to 3 at (0, 0), (7, 0), (4, 0) and (9, 0) get 2, 3, 1 and
// 1. It is right. But each thread fetches all stars from global memory, and all threads of a block need the same ones.
#include <climits>
#include <cuda_runtime.h>

constexpr int most_threads = 256; // of a block

__device__ int squared_distance(int2 a, int2 b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// Blocks of 1 to 256 threads, at least one thread for each of n stars (n may be 0), whose coordinates lie in [-10000, 10000].
// out[i]: the number of the nearest other star; of several the first; -1 if there is no other.
__global__ void nearest(const int2 *stars, int n, int *out) {
  __shared__ int2 s_stars[most_threads]; // room for a star of each thread, not for a whole sky
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  int found = -1;
  int shortest = INT_MAX;
  // TODO: let a block fetch each star once, one for each thread at a time, and look for the nearest one in s_stars.
  (void)s_stars;
  if (i < n)
    for (int k = 0; k < n; ++k) {
      const int distance = squared_distance(stars[i], stars[k]);
      if (k != i && distance < shortest) {
        shortest = distance;
        found = k;
      }
    }
  // end of TODO
  if (i < n)
    out[i] = found;
}
