// 01.3 · A kaleidoscope
//
// A picture whose right half mirrors the left one, and whose lower half mirrors the upper one. So only its upper left quarter
// is computed, and each pixel of that stored in four places. In a row of five pixels the first and the last are the same, the
// second and the last but one; the third is its own mirror image, and belongs to the quarter.
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

// Where you look into it: the point in the corner, left and top from -8192 to 8192, and how far points of pixels lie apart,
// from 1 to 128. Find a place that you like better.
struct View {
  int left, top, step;
};
View look() { return {-3100, 3000, 40}; }

// Pixel (row, col) is out[row * cols + col]. In the quarter it shows the point that lies col steps to the right of (left, top)
// and row steps below it; y grows upwards, as in school. There are just enough blocks of 16 x 16 threads for the quarter.
__global__ void draw(int left, int top, int step, int rows, int cols, int *out) {
  // TODO: which row and which column has this thread? Is that in the quarter? Which point is it, and where does its number
  // go? Let threads that are neighbours in x write neighbours in memory.
  (void)rows, (void)cols, (void)step;
  out[0] = escape(left, top);
  // end of TODO
}
