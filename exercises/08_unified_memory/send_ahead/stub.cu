// 08.2 · Send them ahead
//
// Right, and slow: each page of x and y waits on the host until a kernel misses it, and y on the device until
// the host does.
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

// y[i] += a * x[i]
__global__ void axpy(float a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}

// x and y are managed memory that the host has just written; next it will read y, not x. n may be 0. An
// error of CUDA's, if there is one.
cudaError_t run_axpy(float a, const float *x, float *y, int n) {
  // TODO: send ahead what the kernel will use, and send back what the host will read.
  if (n > 0)
    axpy<<<(n + 255) / 256, 256>>>(a, x, y, n);
  // end of TODO
  return cudaDeviceSynchronize();
}
