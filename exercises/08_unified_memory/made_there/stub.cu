// 08.3 · Made where it is needed
//
// A map that only kernels read. Anybody can work out its numbers, but for a few, all over the map, that the host alone
// knows: the map 7 7 7 7 7 with 3 at place 1 and 5 at place 4 is 7 3 7 7 5. The host makes it, so every page of it is
// made on the host and then fetched, fault by fault.
#include <cuda_runtime.h>

// Asks for the pages of [memory, memory + bytes) on the device; what CUDA answers. (Where pages cannot move one by one
// there is nothing to ask for.)
template <class Size> cudaError_t send_to_device(const void *memory, Size bytes) {
  static_assert(sizeof(Size) == sizeof(size_t), "an int ends at 2 GiB: bytes need a size_t");
  int device = 0, pages_move = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&pages_move, cudaDevAttrConcurrentManagedAccess, device);
  if (!pages_move)
    return cudaSuccess;
#if CUDART_VERSION >= 13000
  return cudaMemPrefetchAsync(memory, bytes, cudaMemLocation{cudaMemLocationTypeDevice, device}, 0);
#else
  return cudaMemPrefetchAsync(memory, bytes, device);
#endif
}

// Number i of the map, unless it is given.
__host__ __device__ inline unsigned number(unsigned i) {
  i *= 2654435761u;
  return ((i ^ i >> 15) * 2246822519u) >> 7;
}

// map[i] = number(i), for n of them.
__global__ void make(unsigned *map, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    map[i] = number(i);
}

// *sum += map[0] + … + map[n - 1]. Any launch.
__global__ void add_up(const unsigned *map, int n, unsigned *sum) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    atomicAdd(sum, map[i]);
}

// TODO 1: a kernel of your own, if you need one.
// end of TODO

// Makes the map of n numbers and adds it up. places and values have `given` numbers each, in the host's memory: places
// are in [0, n), and each comes once. map and room (for 2 * given numbers, and yours) are managed memory that nobody
// has touched. n and given may be 0. *d_sum: on the device, 0 at first. An error of CUDA's, if there is one.
cudaError_t make_and_add(unsigned *map,
                         int n,
                         const unsigned *places,
                         const unsigned *values,
                         int given,
                         unsigned *room,
                         unsigned *d_sum) {
  // TODO 2: no page of the map has to be on the host, not even for a while. How do the given numbers get into it?
  for (int i = 0; i < n; ++i)
    map[i] = number(i);
  for (int k = 0; k < given; ++k)
    map[places[k]] = values[k];
  (void)room;
  // end of TODO
  add_up<<<4, 128>>>(map, n, d_sum);
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
