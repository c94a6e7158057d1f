// 10.4 · What is still to come
//
// A window that slides: out[i] is the largest of in[i] and the 11 numbers behind it, as far as the warp's 32
// numbers go. Right, and with 11 shuffles.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers.
__global__ void still_to_come(const unsigned *in, int n, unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned value = i < n ? in[i] : 0; // all 32 lanes come, also where the numbers end

  // TODO: each shuffle brings one number more. What if it brings the largest of several? Four shuffles do,
  // although 12 is no power of two.
  unsigned largest = value;
  for (int offset = 1; offset < 12; ++offset) {
    const unsigned other = __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 + offset < 32)
      largest = max(largest, other);
  }
  // end of TODO

  if (i < n)
    out[i] = largest;
}
