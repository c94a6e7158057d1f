// 02.6 · A quarter turn, or less
//
// A picture is turned about its middle, by any angle, clockwise as one sees it. Where columns are counted to the right and
// rows downwards, that takes what lies (right, down) of the middle to
//     (cosine * right - sine * down, sine * right + cosine * down).
#include <cstring>
#include <cuda_runtime.h>

// A visitor, 8 rows of 11 squares, and by how many degrees it leans. Draw another one, and let it lean as you like.
void visitor(char *squares, float *degrees) {
  std::strcpy(squares,
              "  #     #  "
              "   #   #   "
              "  #######  "
              " ## ### ## "
              "###########"
              "# ####### #"
              "# #     # #"
              "   ## ##   ");
  *degrees = 25;
}

// The texture has width x height floats, filters linearly, and is 0 outside of the picture; its coordinates count texels,
// and the first texel reaches from 0 to 1. out has height rows of width. Blocks of 16 x 16 threads cover it.
__global__ void
turn(cudaTextureObject_t picture, int width, int height, float cosine, float sine, float *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x; // column of out
  const int y = blockIdx.y * blockDim.y + threadIdx.y; // row of out
  if (x >= width || y >= height)
    return;
  // TODO: where in the picture was the middle of this pixel, before the turn?
  out[y * width + x] = tex2D<float>(picture, x, y);
  // end of TODO
}
