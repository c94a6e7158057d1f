// 10.2 · Lanes that stayed away
//
// A warp for each row of at most 32 numbers: by how much does each number fall short of the largest of
// its row? With 32 columns this is right. With 20 it is not.
#include <cuda_runtime.h>

// Blocks of 128 threads, a warp for each row. cols: [1, 32].
__global__ void below_the_largest(const int *in, int rows, int cols, int *out) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows || lane >= cols)
    return; // with 20 columns twelve lanes of each warp leave
  const int value = in[row * cols + lane];

  // TODO: a mask may name lanes that have left the kernel; but whom a lane asks has to be here. Mend it for all
  // cols, with no more shuffles. (A maximum doesn't mind to see a number twice.)
  int largest = value;
  for (int offset = 16; offset > 0; offset /= 2)
    largest = max(largest, __shfl_xor_sync(0xffffffff, largest, offset));
  // end of TODO

  out[row * cols + lane] = largest - value;
}
