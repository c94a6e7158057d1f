// 07.3 · Who holds up the others?
//
// Several batches, each in a stream of its own: a copy there, and a count. One copy brings all counts back. They are
// right. But nothing overlaps, although the host waits for nobody.
#include <cuda_runtime.h>

namespace {

__global__ void fill(int *out, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = value;
}

__global__ void count_above(const int *in, int n, int limit, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n && in[i] > limit)
    atomicAdd(count, 1);
}

// TODO: what of this is in the way of the other batches, and what has to be where it is?
void clear(int *counts, int n) { fill<<<(n + 255) / 256, 256>>>(counts, n, 0); }

} // namespace

// How many of the n numbers of each batch are above the limit. h_in (batches * n numbers) and h_counts (one for
// each batch) are pinned; the streams, one for each batch, are made by cudaStreamCreate(), and may still be at work.
// A batch waits for what its own stream has to do, and for no other. n > 0. Returns without waiting, and may be called
// again at once.
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
    int *d_batch = d_in + k * n;
    clear(d_counts + k, 1);
    cudaMemcpyAsync(d_batch, h_in + k * n, bytes, cudaMemcpyHostToDevice, streams[k]);
    count_above<<<(n + 255) / 256, 256, 0, streams[k]>>>(d_batch, n, limit, d_counts + k);
  }
  cudaMemcpyAsync(h_counts, d_counts, batches * sizeof(int), cudaMemcpyDeviceToHost);
}
// end of TODO
