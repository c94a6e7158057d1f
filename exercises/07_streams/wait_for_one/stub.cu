// 07.2 · Where the gold begins
//
// A drill has brought up samples, one from below the other: from some depth on each has more than `enough` gold, above
// it none has. Weigh every eighth, and then the seven above the first with gold. With gold from number 12 on:
//
//   7 15 23 31 39 …  are weighed at once; 15 is the first of them with gold;
//   8 to 14          are weighed next; 12 is the first of these. (7, 15, 23 … are in their streams meanwhile.)
#include <cuda_runtime.h>

namespace {

// The sum of n numbers, by one block.
__global__ void sum(const int *in, int n, int *out) {
  __shared__ int s_sum;
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    mine += in[i];
  atomicAdd(&s_sum, mine);
  __syncthreads();
  if (threadIdx.x == 0)
    *out = s_sum;
}

} // namespace

// The first sample whose sum is above `enough`; -1 if there is none. Returns as soon as it can know: what nobody has to
// know any more may still be under way. d_in: `count` samples, a multiple of 8, of n numbers. d_sums, h_sums (pinned)
// and events: one for each sample.
int first_gold(const int *d_in,
               int n,
               int count,
               int enough,
               int *d_sums,
               int *h_sums,
               const cudaStream_t streams[8],
               const cudaEvent_t *events) {
  const auto weigh = [&](int k, cudaStream_t stream) { // its sum will come to h_sums[k]
    sum<<<1, 64, 0, stream>>>(d_in + k * n, n, d_sums + k);
    cudaMemcpyAsync(h_sums + k, d_sums + k, sizeof(int), cudaMemcpyDeviceToHost, stream);
  };
  // TODO: which samples are weighed, in which streams, and for what does the host wait?
  (void)events;
  for (int k = 0; k < count; ++k)
    weigh(k, streams[k % 8]);
  for (int k = 0; k < count; ++k) {
    cudaStreamSynchronize(streams[k % 8]);
    if (h_sums[k] > enough)
      return k;
  }
  // end of TODO
  return -1;
}
