// 05.3 · A race to hunt
//
// A running sum inside each block: out[i] is the sum of the block's elements up to and including i. On
// many machines and days it comes out right. Not on all.
#include <cuda_runtime.h>

// Blocks of 256 threads; block b has the elements from 256 * b on, as far as there are any.
__global__ void running_sum(const unsigned *in, int n, unsigned *out) {
  const int tid = threadIdx.x;
  const int i = blockIdx.x * 256 + tid;

  // TODO: mend it in this one array, with 9 barriers. In a round nobody may write what another thread reads. Let pairs
  // have their running sums first, then fours, then eights: who adds in a round, and which number?
  //   numbers       3  1  4  1  5  9  2  6
  //   three rounds  3  4  8  9 14 23 25 31
  __shared__ unsigned s_data[256];
  s_data[tid] = i < n ? in[i] : 0;
  for (int stride = 1; stride < 256; stride *= 2) {
    if (tid >= stride)
      s_data[tid] += s_data[tid - stride];
    __syncthreads();
  }
  const unsigned sum = s_data[tid];
  // end of TODO

  if (i < n)
    out[i] = sum;
}
