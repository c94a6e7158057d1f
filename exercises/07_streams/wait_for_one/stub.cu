// 07.2 · Where the gold begins
//
// A drill has brought up samples, one from below the other, and a kernel weighs the gold of each. How deep is the first
// with more than enough? The host waits for the whole device after each sample, so that three of four streams are idle.
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

// The first sample whose sum is above `enough`, as soon as the host can know; -1 if there is none. Sample k is weighed in
// streams[k % 4]. Submits all of them before it waits, and what lies deeper may still be under way when it returns.
// d_in: `count` samples of n numbers. d_sums, h_sums (pinned) and events: one for each sample.
int first_gold(const int *d_in,
               int n,
               int count,
               int enough,
               int *d_sums,
               int *h_sums,
               const cudaStream_t streams[4],
               const cudaEvent_t *events) {
  // TODO: all samples in their streams, and a host that waits for no other than the one that it looks at next.
  (void)events;
  for (int k = 0; k < count; ++k) {
    sum<<<1, 256, 0, streams[k % 4]>>>(d_in + k * n, n, d_sums + k);
    cudaMemcpyAsync(h_sums + k, d_sums + k, sizeof(int), cudaMemcpyDeviceToHost, streams[k % 4]);
    cudaDeviceSynchronize();
    if (h_sums[k] > enough)
      return k;
  }
  // end of TODO
  return -1;
}
