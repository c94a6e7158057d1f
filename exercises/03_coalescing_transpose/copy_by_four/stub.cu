// 03.3 · Backwards, four floats at a time
//
// A recording is played backwards: out[k] = in[n - 1 - k]. A thread has four floats: 1 2 3 4 5 become 5 4 3 2 1, of which thread 1
// has only the last. n is any number, and the memory of each array ends with its last float.
#include <cuda_runtime.h>

// One thread for every four floats, the last of which may have fewer; and at least one block. Both pointers are multiples
// of 16 bytes.
__global__ void backwards(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this is right if n is a multiple of 4, and if no thread is too many. Otherwise, where do the four floats of a
  // thread begin in `in`? May they be loaded as a float4 there? And what does a thread do that has fewer than four?
  const float4 v = reinterpret_cast<const float4 *>(in)[n / 4 - 1 - i];
  reinterpret_cast<float4 *>(out)[i] = make_float4(v.w, v.z, v.y, v.x);
  // end of TODO
}
