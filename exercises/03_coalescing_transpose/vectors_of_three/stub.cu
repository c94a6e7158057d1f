// 03.5 · Red for blue
//
// A picture of n pixels, in rows of 128, of which the last may have fewer: red, green and blue of the first pixel, then of the
// second, and so on. Its blue hides a message, in mirror writing. So the pixels of each row are turned left for right, where
// they are, and red and blue of each pixel change places.
#include <cuda_runtime.h>

constexpr int block = 128; // threads, and pixels of a row

// Blocks of `block` threads, one for each row, and at least one. `colours` has 3 * n floats.
__global__ void red_for_blue(float *colours, int n) {
  // TODO: this is right, but the lanes' loads and stores lie 12 bytes apart, and all wait for all. Let neighbouring lanes load
  // and store neighbouring floats, load each float once, and let no thread wait for another.
  const int tid = threadIdx.x, first = blockIdx.x * block,
            here = min(block, n - first); // pixels of the row
  float red = 0.0f, green = 0.0f, blue = 0.0f;
  if (tid < here) {
    red = colours[3 * (first + tid)];
    green = colours[3 * (first + tid) + 1];
    blue = colours[3 * (first + tid) + 2];
  }
  __syncthreads();
  if (tid < here) {
    float *const mirrored = &colours[3 * (first + here - 1 - tid)];
    mirrored[0] = blue;
    mirrored[1] = green;
    mirrored[2] = red;
  }
  // end of TODO
}
