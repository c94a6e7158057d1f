// 11.7 · Next, please
//
// Jobs of very different lengths: job j sums up the numbers from begin[j] to begin[j + 1]. A few blocks that
// stay share the jobs out by number. Right, but who has the long ones is busy when all others are done.
#include <cuda_runtime.h>

constexpr int threads = 64;

// The sum of in[from] up to in[to]; thread 0 gets it. To be called by all threads of the block. It begins
// with a barrier: nobody touches s_data before all have come.
__device__ unsigned sum(const unsigned *in, int from, int to, unsigned *s_data) {
  const int tid = threadIdx.x;
  unsigned own = 0;
  for (int i = from + tid; i < to; i += threads)
    own += in[i];
  __syncthreads();
  s_data[tid] = own;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      s_data[tid] += s_data[tid + stride];
    __syncthreads();
  }
  return s_data[0];
}

// Any number of blocks of 64 threads. *next is the first job that is not given out yet; at last it is `jobs`. A ticket is
// for the next left / (2 * blocks) jobs, rounded up, of those left when it is drawn. ticket[j] becomes the first job of the
// ticket that brought job j.
//
// 20 jobs, 2 blocks: tickets for 5, 4, 3, 2, 2, 1, 1, 1 and 1 jobs, whoever draws them.
__global__ void
run_jobs(const unsigned *in, const int *begin, int jobs, int *next, int *ticket, unsigned *out) {
  __shared__ unsigned s_data[threads];
  // TODO: let each block draw a ticket, do its jobs, and draw again until none is left. How many jobs a ticket is for
  // depends on *next, and other blocks move that.
  for (int job = *next + blockIdx.x; job < jobs; job += gridDim.x) {
    const unsigned all = sum(in, begin[job], begin[job + 1], s_data);
    if (threadIdx.x == 0) {
      out[job] = all;
      ticket[job] = job;
    }
  }
  // end of TODO
}
