// 07.3 · Who holds up the others?
//
// Several batches, each in a stream of its own: a copy there, a count, a copy back. The counts are right. But
// nothing overlaps, although nobody waits: one of the calls is in a stream that the others have to wait for.
#include <cuda_runtime.h>

namespace {

__global__ void count_above(const int *in, int n, int limit, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n && in[i] > limit)
    atomicAdd(count, 1);
}

} // namespace

// How many of the n numbers of each batch are above the limit. h_in (batches * n numbers) and h_counts (one for
// each batch) are pinned; the streams, one for each batch, are made by cudaStreamCreate(). n > 0. Returns
// without waiting.
void counts_above(const int *h_in,
                  int n,
                  int batches,
                  int limit,
                  int *d_in,
                  int *d_counts,
                  int *h_counts,
                  const cudaStream_t *streams) {
  const size_t bytes = n * sizeof(int);
  for (int k = 0; k < batches; ++k) {
    const int *h_batch = h_in + k * n;
    int *d_batch = d_in + k * n;
    // TODO: which of these is not in streams[k]?
    cudaMemset(d_counts + k, 0, sizeof(int));
    cudaMemcpyAsync(d_batch, h_batch, bytes, cudaMemcpyHostToDevice, streams[k]);
    count_above<<<(n + 255) / 256, 256, 0, streams[k]>>>(d_batch, n, limit, d_counts + k);
    cudaMemcpyAsync(h_counts + k, d_counts + k, sizeof(int), cudaMemcpyDeviceToHost, streams[k]);
    // end of TODO
  }
}
