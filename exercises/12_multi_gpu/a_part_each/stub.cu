// 12.1 · A part each
//
// Each device is to have a part of the numbers, and to scale it. Somebody has put a loop around what worked
// for one device, and the results are right. Only that all devices but one have nothing to do.
#include <cuda_runtime.h>

namespace {

__global__ void scale(float *values, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    values[i] *= factor;
}

} // namespace

// n > 0 numbers for each rank: its part begins at h_in[rank * n]. d_part[rank] becomes memory of
// devices[rank] with that part in it, scaled; who calls will free it. All is done when this returns, and the
// device is current that was so before.
void scale_parts(
    const float *h_in, int n, float factor, const int *devices, int ranks, float **d_part) {
  const size_t bytes = n * sizeof(float);
  // TODO: the memory, the kernel and the wait at the end: each for the device that is meant.
  for (int rank = 0; rank < ranks; ++rank) {
    cudaMalloc(&d_part[rank], bytes);
    cudaMemcpy(d_part[rank], h_in + rank * n, bytes, cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(d_part[rank], n, factor);
  }
  cudaDeviceSynchronize();
  // end of TODO
}
