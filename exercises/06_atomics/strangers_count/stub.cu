// 06.6 · A stranger's count
//
// How often does each byte occur, and which of them most often? One launch. "Right on my machine, most of the time."
#include <cuda_runtime.h>

// TODO: somebody else's program, from here to the end. There are five mistakes.
constexpr int bins = 256;

// Adds this thread's share of the bytes to the bins of its block, four bytes at a time: `in` is aligned to 256 bytes.
__device__ void count_share(const unsigned char *in, int n, unsigned *s_bins) {
  const uchar4 *in4 = reinterpret_cast<const uchar4 *>(in);
  const int first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = first; i < n / 4; i += threads) {
    const uchar4 four = in4[i];
    for (unsigned char byte : {four.x, four.y, four.z, four.w})
      atomicAdd(&s_bins[byte], 1u);
    __syncthreads(); // all have counted
  }
}

// Adds the bins of a block to those of all blocks.
__device__ void hand_over(const unsigned *s_bins, unsigned *counts) {
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
    if (s_bins[bin] > 0)
      atomicAdd(&counts[bin], s_bins[bin]);
}

// Whether all other blocks have come here before this one. Each thread of the block gets the answer.
__device__ bool is_last_block(unsigned *tickets) {
  __shared__ bool s_last;
  if (threadIdx.x == 0) {
    __threadfence_block();
    const unsigned ticket = atomicInc(tickets, gridDim.x); // goes back to 0 by itself
    s_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  return s_last;
}

// The byte that occurs most often; of several, the smallest.
__device__ unsigned most_frequent(const unsigned *counts) {
  unsigned best = 0; // a count and a byte in one number: the larger count is the larger number
  for (unsigned bin = 0; bin < bins; ++bin)
    best = max(best, counts[bin] << 16 | (bins - 1 - bin));
  return bins - 1 - best % bins;
}

__global__ void
count_bytes(const unsigned char *in, int n, unsigned *counts, unsigned *tickets, unsigned *most) {
  __shared__ unsigned s_bins[bins];
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x)
    s_bins[bin] = 0;
  __syncthreads();

  count_share(in, n, s_bins);
  hand_over(s_bins, counts);
  __syncthreads();

  if (is_last_block(tickets) && threadIdx.x == 0) {
    __threadfence();
    *most = most_frequent(counts);
  }
}

// Any grid, and blocks of 32 threads or more. All pointers are to device memory. counts has 256 elements; *tickets is 0
// before the first call, and nobody touches it between two calls.
void count_all(const unsigned char *in,
               int n,
               unsigned *counts,
               unsigned *tickets,
               unsigned *most,
               int grid,
               int block) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  count_bytes<<<grid, block>>>(in, n, counts, tickets, most);
}
// end of TODO
