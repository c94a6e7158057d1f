// 08.2 · Send them ahead
//
// A telescope's view glides over the sky, and each exposure adds to the plate what is in view. Right, and slow: the kernel
// waits for each page that it touches, and the host for each page of the plate.
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

// Numbers of a page, which moves as a whole. Both vectors begin with a page.
inline constexpr int page = 1024;

// Adds to the plate, for each i in [first, first + count), how much brighter sky[i] is than its two neighbours are.
__global__ void expose(const float *sky, float *plate, int first, int count) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < first + count)
    plate[i] += sky[i] - 0.5f * (sky[i - 1] + sky[i + 1]);
}

// Makes the next exposure, of what is in view: [first, first + count), inside the sky and with a neighbour on either side, so
// first > 0. In view before was [before, before + count), with before <= first <= before + count. Of the first exposure
// `before` is -1, and count may be 0. sky and plate are managed memory that the host has written. After this the host reads
// those pages of the plate that have been in view and are no more, not even in part. The sky it never reads again. Returns
// CUDA's error, if there is one.
//
// With pages of 1024: the view has moved from [500, 2500) to [1500, 3500). Page 0 goes home, page 1 is still in view.
cudaError_t next_exposure(const float *sky, float *plate, int first, int count, int before) {
  // TODO: send to the device what the kernel will touch, and home what the host will read: no other page.
  (void)before;
  if (count > 0)
    expose<<<(count + 255) / 256, 256>>>(sky, plate, first, count);
  // end of TODO
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
