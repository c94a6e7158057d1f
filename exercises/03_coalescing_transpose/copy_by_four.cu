// 03.2 · A copy, four at a time
//
// Copies n floats, 16 bytes in each load and store. n is any number, and the memory ends with the last
// float.
#include <cuda_runtime.h>

// One thread for every four floats, the last of which may be fewer; and at least one block. Both pointers
// are multiples of 16 bytes.
__global__ void copy(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this loads before it knows whether there is anything to load, and leaves out the last floats
  // when n is no multiple of four.
  const float4 four = reinterpret_cast<const float4 *>(in)[i];
  if (4 * i + 3 < n)
    reinterpret_cast<float4 *>(out)[i] = four;
  // end of TODO
}
