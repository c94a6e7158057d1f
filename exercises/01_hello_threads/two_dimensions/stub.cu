// 01.3 · Two dimensions
//
// A table of all products: out[row * cols + col] = a[row] * b[col]. Row after row in memory.
#include <cuda_runtime.h>

// Blocks of 16 x 16 threads, enough of them in both directions: gridDim.x * 16 >= cols and
// gridDim.y * 16 >= rows.
__global__ void products(const float *a, int rows, const float *b, int cols, float *out) {
  // TODO: which row and which column does this thread compute? Is that inside the table? Let threads
  // that are neighbours in x write neighbours in memory.
  out[0] = a[0] * b[0];
  // end of TODO
}
