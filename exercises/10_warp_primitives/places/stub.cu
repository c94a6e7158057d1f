// 10.1 · Places in a race
//
// Numbers come in groups of 32. Each gets its place in its group: how many of the 32 come before it?
// A warp takes one group after the other, and lays it out in shared memory, where all its lanes read it.
#include <cuda_runtime.h>

// Blocks of 128 threads, any grid. in: [0, 2^32 - 1).
__global__ void places(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_values[4][32]; // 32 for each warp
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int step = gridDim.x * blockDim.x;
  // Not every warp has as many groups as the others.
  for (int first = blockIdx.x * blockDim.x + warp * 32; first < n; first += step) {
    const int i = first + lane;
    const unsigned value = i < n ? in[i] : 0xffffffff; // behind all others
    unsigned place = 0;
    // TODO: lanes read what other lanes have written, and write again in the next round. Nobody waits for
    // anybody. Where does the warp have to wait?
    s_values[warp][lane] = value;
    for (int other = 0; other < 32; ++other) {
      const unsigned theirs = s_values[warp][other];
      place += theirs < value || (theirs == value && other < lane);
    }
    // end of TODO
    if (i < n)
      out[i] = place;
  }
}
