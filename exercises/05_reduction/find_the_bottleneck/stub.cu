// 05.4 · Find the bottleneck
//
// The dot product of two vectors, above all of one with itself: each block leaves a part, and the host adds up the parts.
// Its tree is that of v2, which reads one vector, too, and of which a profiler reports:
//
//   issue slots used    71 %    wavefronts for a request to shared memory   1
//   shared memory busy  73 %    sectors for a load of a warp                4
//   DRAM busy           19 %
//
// Three cures have been suggested:
//   - leave a word of shared memory free after every 32 words;
//   - unroll the rounds of the tree;
//   - let each tree serve more products.
// One of them takes work from the busiest unit. Apply that one and no other, just as far as it takes until DRAM has
// more to do than that unit.
#include <cuda_runtime.h>

// TODO: both functions, as far as the cure needs it.
// blockDim.x is a power of two, from 32 to 1024. out[blockIdx.x] is the sum of this block's products.
__global__ void block_dot(const unsigned *a, const unsigned *b, int n, unsigned *out) {
  __shared__ unsigned s_data[1024];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? a[i] * b[i] : 0;
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

// The blocks that n products take, with `threads` threads each: as many sums does the host add up.
int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
// end of TODO
