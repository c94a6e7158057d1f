// 05.6 · A tail from 2007
//
// One warp adds up 64 numbers in shared memory. Until 2017 this was how it was written: lanes of a warp
// ran in step, so nobody waited for anybody. They no longer do.
#include <cuda_runtime.h>

// Blocks of 32 threads; each sums 64 elements, and there are exactly 64 for each block. All 32 lanes need the sum,
// and each writes it to a place of its own.
__global__ void tail_sum(const unsigned *in, unsigned *out) {
  __shared__ volatile unsigned s_data[64];
  const unsigned lane = threadIdx.x;
  s_data[lane] = in[blockIdx.x * 64 + lane];
  s_data[lane + 32] = in[blockIdx.x * 64 + 32 + lane];

  // TODO: `volatile` makes each lane really read and write; it makes no lane wait. In every round a lane reads what
  // another has written in the round before, and may have written again. Five waits are enough for all rounds.
  s_data[lane] = s_data[lane] + s_data[lane + 32];
  for (unsigned stride = 16; stride > 0; stride /= 2)
    s_data[lane] = s_data[lane] + s_data[(lane + stride) % 32];
  out[blockIdx.x * 32 + lane] = s_data[lane];
  // end of TODO
}
