// 01.3 · Two dimensions
//
// A table of all products, a[row] * b[col], row after row in memory. A row has `cols` elements, and behind them come
// some that are no part of the table: each row begins `pitch` elements after the one before.
#include <cuda_runtime.h>

// Blocks of 16 x 16 threads, enough of them in both directions: gridDim.x * 16 >= cols and
// gridDim.y * 16 >= rows. pitch >= cols; what lies between the rows belongs to somebody else.
__global__ void
products(const float *a, int rows, const float *b, int cols, float *out, int pitch) {
  // TODO: which row and which column does this thread compute? Is that inside the table? Let threads
  // that are neighbours in x write neighbours in memory.
  (void)pitch;
  out[0] = a[0] * b[0];
  // end of TODO
}
