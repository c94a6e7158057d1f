// 08.2 · Send them ahead
//
// Right, and slow: each page that the kernel touches waits on the host until it misses it, and a page of y on the device
// until the host does.
#include <cuda_runtime.h>

enum class Place { host, device };

// Asks for the pages of [memory, memory + bytes) at a place; what CUDA answers. (Where pages cannot move one
// by one there is nothing to ask for.)
template <class Size> cudaError_t send(const void *memory, Size bytes, Place place) {
  static_assert(sizeof(Size) == sizeof(size_t), "an int ends at 2 GiB: bytes need a size_t");
  int device = 0, pages_move = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&pages_move, cudaDevAttrConcurrentManagedAccess, device);
  if (!pages_move)
    return cudaSuccess;
#if CUDART_VERSION >= 13000
  const cudaMemLocation there = place == Place::device
                                    ? cudaMemLocation{cudaMemLocationTypeDevice, device}
                                    : cudaMemLocation{cudaMemLocationTypeHost, 0};
  return cudaMemPrefetchAsync(memory, bytes, there, 0);
#else
  return cudaMemPrefetchAsync(memory, bytes, place == Place::device ? device : cudaCpuDeviceId);
#endif
}

// How steep x is, for each i in [first, first + count): half of the difference of its two neighbours.
__global__ void slope(const float *x, float *y, int first, int count) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first + count)
    y[i] = 0.5f * (x[i + 1] - x[i - 1]);
}

// x and y are managed memory, n numbers each, that the host has just written; next it will read y, not x. The window
// begins behind the first number and ends before the last one; count may be 0. An error of CUDA's, if there is one.
cudaError_t run_slope(const float *x, float *y, int n, int first, int count) {
  // TODO: send ahead what the kernel will use, and send back what the host will read: no page more.
  (void)n;
  if (count > 0)
    slope<<<(count + 255) / 256, 256>>>(x, y, first, count);
  // end of TODO
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
