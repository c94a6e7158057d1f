// 02.6 · Half a texel
//
// A picture, twice as wide and twice as high, by a texture that mixes neighbouring texels by itself.
#include <cuda_runtime.h>

// The texture has width x height floats and filters linearly; its coordinates count texels. out has
// 2 * height rows of 2 * width. Blocks of 16 x 16 threads cover it.
__global__ void enlarge(cudaTextureObject_t picture, int width, int height, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x; // column of out
  const int y = blockIdx.y * blockDim.y + threadIdx.y; // row of out
  if (x >= 2 * width || y >= 2 * height)
    return;
  // TODO: where in the picture lies the middle of this pixel? The first texel reaches from 0 to 1: its
  // middle, where nothing is mixed into it, is at 0.5.
  out[y * 2 * width + x] = tex2D<float>(picture, x, y);
  // end of TODO
}
