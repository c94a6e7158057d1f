// 01.3 · Two dimensions
//
// A picture of a part of the plane. Its upper left pixel is the point (left, top), and from pixel to pixel it is one
// `step`: x grows to the right, and y upwards, as in school. A row has `cols` pixels, and behind them come some that are
// no part of the picture: in memory each row begins `pitch` elements after the one before.
#include <cuda_runtime.h>

// After how many rounds the point (x, y) has run away; 60 if it stays. Done as it is: you need not follow it.
__device__ int escape(int x, int y) {
  int a = 0, b = 0, rounds = 0;
  while (rounds < 60 && a * a + b * b <= 4 * 4096 * 4096) {
    const int next = (a * a - b * b) / 4096 + x;
    b = 2 * a * b / 4096 + y;
    a = next;
    ++rounds;
  }
  return rounds;
}

// Blocks of 16 x 16 threads, enough of them in both directions: gridDim.x * 16 >= cols and
// gridDim.y * 16 >= rows. pitch >= cols; what lies between the rows belongs to somebody else.
__global__ void draw(int left, int top, int step, int rows, int cols, int *out, int pitch) {
  // TODO: which row and which column does this thread draw? Is that inside the picture? Which point is it? Let threads
  // that are neighbours in x write neighbours in memory.
  (void)rows, (void)cols, (void)step, (void)pitch;
  out[0] = escape(left, top);
  // end of TODO
}
