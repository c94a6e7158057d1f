// 03.5 · Vectors of three
//
// The square of the length of n vectors: x, y and z of the first one, then of the second, and so on. It
// is right, but the lanes' loads lie 12 bytes apart.
#include <cuda_runtime.h>

constexpr int block = 128; // threads, and vectors of a block

// Blocks of `block` threads, enough of them for n vectors and at least one. `in` has 3 * n floats.
__global__ void squared_lengths(const float *in, int n, float *out) {
  const int i = blockIdx.x * block + threadIdx.x;
  // TODO: let the block fetch its 3 * block floats so that neighbouring lanes load neighbouring floats,
  // keep them in shared memory, and take each thread's own vector from there.
  if (i < n) {
    const float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    out[i] = x * x + y * y + z * z;
  }
  // end of TODO
}
