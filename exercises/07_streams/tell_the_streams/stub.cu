// 07.5 · Tell the streams
//
// Star trails: a camera stands still all night, and of each pixel the brightest of all photos is kept. Each photo comes
// to the device in a stream of its own. They become one by kernels that keep the brighter of two: photo by photo, as it
// stands, and before they have come.
#include <cuda_runtime.h>

namespace {

__global__ void keep_brighter(int *photo, const int *other, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n && photo[i] < other[i])
    photo[i] = other[i];
}

} // namespace

// Photo k has n pixels, from h_photos[k * n] on, and comes in streams[k]; photos > 0, n > 0; h_… are pinned. Submits
// everything and returns at once: whoever wants h_trails waits for streams[0]. May be called again at once, for the next
// night. There is one event for all of it.
void star_trails(const int *h_photos,
                 int n,
                 int photos,
                 int *d_photos,
                 int *h_trails,
                 const cudaStream_t *streams,
                 cudaEvent_t mark) {
  const size_t bytes = n * sizeof(int);
  for (int k = 0; k < photos; ++k)
    cudaMemcpyAsync(d_photos + k * n, h_photos + k * n, bytes, cudaMemcpyHostToDevice, streams[k]);
  // TODO: eight photos in three kernels' time, when all is there that they need; and the next night may begin at once.
  for (int k = 1; k < photos; ++k)
    keep_brighter<<<(n + 255) / 256, 256, 0, streams[0]>>>(d_photos, d_photos + k * n, n);
  (void)mark;
  // end of TODO
  cudaMemcpyAsync(h_trails, d_photos, bytes, cudaMemcpyDeviceToHost, streams[0]);
}
