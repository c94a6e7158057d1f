// 10.2 · Lanes that stayed away
//
// A warp for each row of at most 32 numbers: by how much does each number fall short of the largest of
// its row? With 32 columns this is right. With 20 it is not.
#include <climits>
#include <cuda_runtime.h>

// Blocks of 128 threads, a warp for each row. cols: [1, 32].
__global__ void below_the_largest(const int *in, int rows, int cols, int *out) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows)
    return; // all lanes of the warp together

  // TODO: a shuffle needs every lane that its mask names, and the lane that is read has to be there, too.
  // Which lanes come here when cols is 20? Mend it for all cols.
  if (lane < cols) {
    const int value = in[row * cols + lane];
    int largest = value;
    for (int offset = 16; offset > 0; offset /= 2)
      largest = max(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    out[row * cols + lane] = largest - value;
  }
  // end of TODO
}
