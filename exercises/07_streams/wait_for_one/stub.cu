// 07.2 · Wait for what you need
//
// Several sums, each in a stream of its own, which the host adds up. The result is right. But it waits for the
// whole device, again and again, and with it for what others are running there.
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

// Of count * n numbers: n for each of the `count` streams. d_sums and h_sums (pinned) have `count` elements.
long long
total(const int *d_in, int n, int count, int *d_sums, int *h_sums, const cudaStream_t *streams) {
  long long all = 0;
  // TODO: let the sums run at the same time, and wait for nothing but what you add up.
  for (int k = 0; k < count; ++k) {
    sum<<<1, 256, 0, streams[k]>>>(d_in + k * n, n, d_sums + k);
    cudaMemcpyAsync(h_sums + k, d_sums + k, sizeof(int), cudaMemcpyDeviceToHost, streams[k]);
    cudaDeviceSynchronize();
    all += h_sums[k];
  }
  // end of TODO
  return all;
}
