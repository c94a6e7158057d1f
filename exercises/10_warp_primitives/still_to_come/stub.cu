// 10.4 · What is still to come
//
// A scan from the right: out[i] is the sum of in[i] and of all numbers behind it, as far as the warp's 32
// numbers go. Right, and with 31 shuffles.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers.
__global__ void still_to_come(const unsigned *in, int n, unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned value = i < n ? in[i] : 0; // all 32 lanes come, also where the numbers end

  // TODO: each shuffle brings one number more. Bring sums instead: when each lane has the sum of 4
  // numbers, one shuffle makes it 8. Five shuffles do.
  unsigned sum = value;
  for (int offset = 1; offset < 32; ++offset) {
    const unsigned other = __shfl_down_sync(0xffffffff, value, offset);
    if (lane + offset < 32)
      sum += other;
  }
  // end of TODO

  if (i < n)
    out[i] = sum;
}
