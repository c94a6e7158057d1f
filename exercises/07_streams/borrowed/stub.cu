// 07.8 · Borrowed for a while
//
// The largest difference between neighbours, by two kernels in two streams, so that the first kernel of the next call
// can run beside the second one of this call. It is right. But the host waits for the first kernel, and cudaFree() waits
// until the device has nothing to do, and everybody with it.
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

// n > 1; d_in and *d_result (0 at first) are on the device. The result is there when `second` is done; nobody is waited
// for. Called again and again, each time with the same event, and for several pairs of streams at a time, each with an
// event of its own; afterwards no memory is left behind.
cudaError_t largest_difference(const int *d_in,
                               int n,
                               int *d_result,
                               cudaStream_t first,
                               cudaStream_t second,
                               cudaEvent_t made) {
  int *d_between = nullptr;
  // TODO 1: memory in the order of a stream. Of which one?
  const cudaError_t error = cudaMalloc(&d_between, (n - 1) * sizeof(int));
  // end of TODO
  if (error != cudaSuccess)
    return error;
  differences<<<(n + 255) / 256, 256, 0, first>>>(d_in, n, d_between);
  // TODO 2: the second kernel comes after the first one, and the host waits for neither.
  (void)made;
  cudaStreamSynchronize(first);
  // end of TODO
  largest<<<4, 128, 0, second>>>(d_between, n - 1, d_result);
  // TODO 3: and back again, when nobody works with it any more.
  return cudaFree(d_between);
  // end of TODO
}
