// 03.3 · Pairs, four floats at a time
//
// Two arrays become one of pairs: out[2 * i] = a[i], out[2 * i + 1] = b[i]. Two pairs are 16 bytes, which go out in
// one store; the loads take 8 bytes each. n is any number, and the memory of each array ends with its last float.
#include <cuda_runtime.h>

// One thread for every two pairs, the last of which may be alone; and at least one block. All three pointers
// are multiples of 16 bytes.
__global__ void pairs(const float *a, const float *b, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this loads before it knows whether there is anything to load, and leaves out the last pair when n is odd.
  const float2 of_a = reinterpret_cast<const float2 *>(a)[i];
  const float2 of_b = reinterpret_cast<const float2 *>(b)[i];
  if (2 * i + 1 < n)
    reinterpret_cast<float4 *>(out)[i] = make_float4(of_a.x, of_b.x, of_a.y, of_b.y);
  // end of TODO
}
