// 05.1 · Idle lanes
//
// The checksum of a block's words, each word ^ the next, by neighbours: in the first round every second thread
// takes a pair, then every fourth, and so on. It is right, and most lanes of each warp only watch.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 1024.
__global__ void block_checksum(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const unsigned tid = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < static_cast<unsigned>(n) ? in[i] : 0;
  __syncthreads();

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    // TODO: the same pairs, in as few turns of a warp as it can be done. Which thread should take which?
    if (tid % (2 * stride) == 0)
      s_data[tid] ^= s_data[tid + stride];
    // end of TODO
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}
