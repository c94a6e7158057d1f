// 07.8 · Borrowed for a while
//
// The largest difference between neighbours, by two kernels with some memory in between. It is right. But
// cudaFree() waits until the device has nothing to do, and everybody with it.
#include <cuda_runtime.h>

namespace {

__global__ void differences(const int *in, int n, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n - 1) and some more
  if (i < n - 1)
    out[i] = abs(in[i + 1] - in[i]);
}

__global__ void largest(const int *in, int n, int *result) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine = max(mine, in[i]);
  atomicMax(result, mine);
}

} // namespace

// n > 1; d_in and *d_result (0 at first) are on the device. Everything is done in the order of the stream, and
// nobody is waited for. Called for several streams at a time; afterwards no memory is left behind.
cudaError_t largest_difference(const int *d_in, int n, int *d_result, cudaStream_t stream) {
  int *d_between = nullptr;
  // TODO 1: memory in the order of the stream.
  const cudaError_t error = cudaMalloc(&d_between, (n - 1) * sizeof(int));
  // end of TODO
  if (error != cudaSuccess)
    return error;
  differences<<<(n + 255) / 256, 256, 0, stream>>>(d_in, n, d_between);
  largest<<<4, 128, 0, stream>>>(d_between, n - 1, d_result);
  // TODO 2: and back again, when the stream has come so far.
  return cudaFree(d_between);
  // end of TODO
}
