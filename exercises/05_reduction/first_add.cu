// 05.3 · Two elements a thread
//
// Half of the threads of block_sum only load and then rest. Here each thread loads two elements and adds
// them at once: a block sums 2 * blockDim.x elements.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 1024. Block b sums the elements from b * 2 * blockDim.x on; the
// last block may have fewer left than it has room for.
__global__ void block_sum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const int tid = threadIdx.x;
  // TODO: i is this thread's first element, its second lies blockDim.x further on. Add both into
  // s_data[tid]: there may be two of them, one or none.
  const int i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  // end of TODO
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
