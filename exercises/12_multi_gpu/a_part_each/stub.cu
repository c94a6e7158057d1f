// 12.1 · A part each
//
// Old devices and new ones are to scale numbers together, and to be done at the same time: so each gets a part as large as it
// is fast. Somebody has put a loop around what worked for one device, with equal parts, and the results are right. Only
// that all devices but one have nothing to do.
#include <cuda_runtime.h>

namespace {

__global__ void scale(float *values, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    values[i] *= factor;
}

} // namespace

// n > 0 numbers in all. The memory of devices[rank] moves speed[rank] MB/s: more than 0, and an int holds the sum of all.
// A rank's part of h_in becomes [begin[rank], begin[rank + 1]): n * speed[rank] / sum numbers, or less than `ranks`
// more or fewer. Parts follow each other from 0 to n, and may be empty. d_part[rank] becomes memory of devices[rank] with that
// part in it, scaled; who calls will free it (an empty part needs none). All is done when this returns, and the device is
// current that was so before.
void scale_parts(const float *h_in,
                 int n,
                 float factor,
                 const int *devices,
                 const int *speed,
                 int ranks,
                 int *begin,
                 float **d_part) {
  // TODO: parts by speed. The memory, the kernel and the wait at the end: each for the device that is meant.
  static_cast<void>(devices);
  static_cast<void>(speed);
  begin[0] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    begin[rank + 1] = n * (rank + 1) / ranks;
    const int part = begin[rank + 1] - begin[rank];
    cudaMalloc(&d_part[rank], part * sizeof(float));
    cudaMemcpy(d_part[rank], h_in + begin[rank], part * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(part + 255) / 256, 256>>>(d_part[rank], part, factor);
  }
  cudaDeviceSynchronize();
  // end of TODO
}
