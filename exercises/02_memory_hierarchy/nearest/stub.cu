// 02.3 · The nearest neighbour
//
// For each point of a block: which other point of the same block is nearest? It is right. But each thread fetches all
// points of its block from global memory, and all threads of a block need the same ones.
#include <climits>
#include <cuda_runtime.h>

constexpr int most_threads = 256; // of a block

__device__ int squared_distance(int2 a, int2 b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// Blocks of 1 to 256 threads, at least one thread for each of n points, whose coordinates lie in [-10000, 10000].
// out[i]: the place in `points` of the nearest other point; of several the first; -1 if point i is alone in its block.
__global__ void nearest(const int2 *points, int n, int *out) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * blockDim.x; // the point of thread 0
  const int count = min(static_cast<int>(blockDim.x), n - first); // of the block's points
  int found = -1;
  int shortest = INT_MAX;
  // TODO: let the block fetch each of its points once, into shared memory, and look for the nearest one there.
  if (tid < count) {
    const int2 own = points[first + tid];
    for (int k = 0; k < count; ++k) {
      const int distance = squared_distance(own, points[first + k]);
      if (k != tid && distance < shortest) {
        shortest = distance;
        found = first + k;
      }
    }
  }
  // end of TODO
  if (tid < count)
    out[first + tid] = found;
}
