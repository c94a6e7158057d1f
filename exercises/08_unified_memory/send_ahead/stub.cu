// 08.2 · Send them ahead
//
// A telescope's view glides over the sky, and each exposure adds to the plate what is in view. Right, and slow: each page
// that the kernel touches waits on the host until it misses it, and a page of the plate on the device until the host does.
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

// Of a page, which moves as a whole: so many numbers. Both vectors begin with one.
inline constexpr int page = 1024;

// Adds to the plate, for each i in [first, first + count), how much brighter sky[i] is than its two neighbours are.
__global__ void expose(const float *sky, float *plate, int first, int count) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first + count)
    plate[i] += sky[i] - 0.5f * (sky[i - 1] + sky[i + 1]);
}

// The next exposure, of [first, first + count); the one before was as long and began at `before`, with before <= first <=
// before + count (-1: there was none). sky and plate are managed memory that the host has written. Next, the host reads those pages of the plate
// that the view has left, and never the sky again. count may be 0. An error of CUDA's, if there is one.
cudaError_t next_exposure(const float *sky, float *plate, int first, int count, int before) {
  // TODO: send ahead what the kernel will touch, and home what the view has left: no page more, none to and fro.
  (void)before;
  if (count > 0)
    expose<<<(count + 255) / 256, 256>>>(sky, plate, first, count);
  // end of TODO
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
