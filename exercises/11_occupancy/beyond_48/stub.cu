// 11.4 · Beyond 48 KB
//
// Rotates each row of a matrix in place: a block takes its row into shared memory and puts it back, shifted.
// That works up to 12288 numbers per row. Devices have more shared memory than that, if they are asked.
#include <cuda_runtime.h>

// A block for each row; dynamic shared memory for `width` numbers. [0, width) is the range of shift.
__global__ void rotate(int *data, int width, int shift) {
  extern __shared__ int s_row[];
  int *row = data + static_cast<size_t>(blockIdx.x) * width;
  for (int k = threadIdx.x; k < width; k += blockDim.x)
    s_row[k] = row[k];
  __syncthreads();
  for (int k = threadIdx.x; k < width; k += blockDim.x)
    row[k] = s_row[(k + shift) % width];
}

// rows and width > 0. Returns whether the launch was made; false if a row has no room in a block's shared
// memory on this device. Then nothing was launched, and no error stays behind for others to find.
bool rotate_rows(int *d_data, int rows, int width, int shift) {
  const size_t bytes = width * sizeof(int);
  // TODO: a kernel that wants more than 48 KB of dynamic shared memory has to be allowed it first, and no
  // block gets more than the device can give to one.

  // end of TODO
  rotate<<<rows, 256, bytes>>>(d_data, width, shift);
  return true;
}
