// 07.3 · Who holds up the others?
//
// A photo taken at night, much too dark. Its strips go to the device, each in a stream of its own; the brightest pixel
// of all is to become white, and all others as much brighter. As it stands strips go one after another, though the host
// waits for nobody, and each knows only what has come until then: of strips whose brightest are 3, 5 and 9 the last one
// alone is right.
#include <cuda_runtime.h>

namespace {

__global__ void find_brightest(const int *strip, int n, int *brightest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    atomicMax(brightest, strip[i]);
}

// The brightest becomes 255.
__global__ void brighten(int *strip, int n, const int *brightest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    strip[i] = 255 * strip[i] / *brightest;
}

} // namespace

// h_photo has strips * n pixels, none below 0 and not all of them 0, n > 0; they are replaced by brighter ones, and
// *h_brightest by the brightest of before. h_… are pinned; the streams, one for each strip, are made by
// cudaStreamCreate(). Returns without waiting, and may be called again at once.
void brighten_photo(int *h_photo,
                    int n,
                    int strips,
                    int *d_photo,
                    int *d_brightest,
                    int *h_brightest,
                    const cudaStream_t *streams) {
  const size_t bytes = n * sizeof(int);
  const int blocks = (n + 255) / 256;
  cudaMemsetAsync(d_brightest, 0, sizeof(int));
  // TODO: let every strip know all of them, and stand back for others only where it has to. No event is needed.
  for (int k = 0; k < strips; ++k) {
    int *d_strip = d_photo + k * n, *h_strip = h_photo + k * n;
    cudaMemcpyAsync(d_strip, h_strip, bytes, cudaMemcpyHostToDevice, streams[k]);
    find_brightest<<<blocks, 256, 0, streams[k]>>>(d_strip, n, d_brightest);
    cudaMemcpyAsync(h_brightest, d_brightest, sizeof(int), cudaMemcpyDeviceToHost);
    brighten<<<blocks, 256, 0, streams[k]>>>(d_strip, n, d_brightest);
    cudaMemcpyAsync(h_strip, d_strip, bytes, cudaMemcpyDeviceToHost);
  }
  // end of TODO
}
