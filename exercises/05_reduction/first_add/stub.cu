// 05.3 · Two products for each thread
//
// The dot product of two vectors, a part of it for each block. Half of a block's threads only load and then rest.
// Here each thread has two products and adds them at once: a block has 2 * blockDim.x of them.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 1024. Block b has the products from b * 2 * blockDim.x on; the last
// block may have fewer left than it has room for.
__global__ void block_dot(const unsigned *a, const unsigned *b, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const int tid = threadIdx.x;
  // TODO: i is the place of this thread's first product, its second one lies blockDim.x further on. Add both
  // into s_data[tid]: there may be two of them, one or none.
  const int i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? a[i] * b[i] : 0;
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
