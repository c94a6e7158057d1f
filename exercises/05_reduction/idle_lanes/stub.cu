// 05.1 · Idle lanes
//
// A tree of a block's checksums: in the first round every second word becomes its pair's, word ^ word, then every fourth
// that of two pairs, and so on. A pair's checksum goes into its last word. Whoever has two such trees finds by few
// comparisons which word was damaged on its way.
// The kernel is right, and most lanes of each warp only watch.
#include <cuda_runtime.h>

// blockDim.x is a power of two, from 32 to 1024. Words from n on count as 0.
__global__ void checksum_tree(const unsigned *in, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const unsigned tid = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < static_cast<unsigned>(n) ? in[i] : 0;
  __syncthreads();

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    // TODO: the same pairs, in as few turns of a warp as it can be done. Which thread should take which?
    if (tid % (2 * stride) == 2 * stride - 1)
      s_data[tid] ^= s_data[tid - stride];
    // end of TODO
    __syncthreads();
  }

  if (i < static_cast<unsigned>(n))
    out[i] = s_data[tid];
}
