// 10.1 · Places in a race
//
// 32 runners come in one after the other: numbers are put in order, the largest first. How many of the 32 are smaller than
// a number is its place, counted from the end. A warp takes one group of 32 after the other. It lays each out in shared
// memory, once as it comes and once in order.
#include <cuda_runtime.h>

// Blocks of 128 threads, any grid. No number is 0.
__global__ void sort_groups(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_values[4][32]; // 32 for each warp
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int step = gridDim.x * blockDim.x;
  // Not every warp has as many groups as the others.
  for (int first = blockIdx.x * blockDim.x + warp * 32; first < n; first += step) {
    const int i = first + lane;
    const unsigned value = i < n ? in[i] : 0; // behind all others
    int place = 0;
    // TODO: nobody waits for anybody. Between which of these four accesses, in a ring, may a lane come too early? Let three
    // waits be enough, by other words.
    s_values[warp][lane] = value;
    for (int other = 0; other < 32; ++other) {
      const unsigned theirs = s_values[warp][other];
      place += theirs < value || (theirs == value && other < lane);
    }
    s_values[warp][place] = value;
    const unsigned sorted = s_values[warp][31 - lane];
    // end of TODO
    if (i < n)
      out[i] = sorted;
  }
}
