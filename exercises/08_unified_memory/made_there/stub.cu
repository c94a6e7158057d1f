// 08.3 · Made where it is needed
//
// Only kernels read a table, and the host makes it: its first numbers, which the host alone knows, and the others, which
// anybody can work out. So every page of it is made on the host and then fetched, fault by fault.
#include <cuda_runtime.h>

// Asks for the pages of [memory, memory + bytes) on the device; what CUDA answers. (Where pages cannot move one
// by one there is nothing to ask for.)
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

// Number i of the table, unless it is given.
__host__ __device__ inline unsigned number(unsigned i) { return (i * 2654435761u) >> 7; }

// *sum += table[0] + … + table[n - 1]. Any launch.
__global__ void add_up(const unsigned *table, int n, unsigned *sum) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    atomicAdd(sum, table[i]);
}

// TODO 1: a kernel that makes what is not given.
// end of TODO

// Makes the table of n numbers and adds it up. table: managed memory that nobody has touched. Of its numbers the first
// `given` are in h_given, memory of the host's; 0 <= given <= n, and n may be 0. *d_sum: on the device, 0 at first. An error
// of CUDA's, if there is one.
cudaError_t
make_and_add(unsigned *table, int n, const unsigned *h_given, int given, unsigned *d_sum) {
  // TODO 2: who makes which pages? And in which order, for given and other numbers meet in a page?
  for (int i = 0; i < n; ++i)
    table[i] = i < given ? h_given[i] : number(i);
  // end of TODO
  add_up<<<4, 128>>>(table, n, d_sum);
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
