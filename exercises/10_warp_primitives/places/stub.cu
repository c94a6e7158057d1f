// 10.1 · Places in a race
//
// Numbers come in groups of 32, and each group is put in order, the largest first: how many of the 32 are smaller than a
// number is its place from the end. A warp takes one group after the other, and lays it out in shared memory, where all
// its lanes read it.
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
    // TODO: nobody waits for anybody. Where does a lane touch what another one has written, or still reads? With these
    // words that is so in each of four gaps. Let three waits be enough.
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
