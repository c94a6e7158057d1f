// 03.5 · Red for blue
//
// A picture of n pixels: red, green and blue of the first one, then of the second, and so on. Some programs want blue
// first: red and blue change places, and the picture stays where it is. This is right, but the lanes' loads and stores lie
// 12 bytes apart.
#include <cuda_runtime.h>

constexpr int block = 128; // threads, and pixels of a block

// Blocks of `block` threads, enough of them for n pixels and at least one. `colours` has 3 * n floats.
__global__ void red_for_blue(float *colours, int n) {
  // TODO: let the block load its 3 * block floats so that neighbouring lanes load neighbouring floats, and keep them in
  // shared memory. Neighbouring lanes store neighbouring floats, too. One barrier is enough.
  const int i = blockIdx.x * block + threadIdx.x;
  if (i < n) {
    const float red = colours[3 * i];
    colours[3 * i] = colours[3 * i + 2];
    colours[3 * i + 2] = red;
  }
  // end of TODO
}
