// 07.5 · Tell the streams
//
// Numbers go to the device in one stream. Kernels work on them, each in a stream of its own, and one copy brings what
// all of them have made back, in the first. Nothing makes one stream wait for another.
#include <cuda_runtime.h>

namespace {

__global__ void scale(const float *in, int n, float factor, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = factor * in[i];
}

} // namespace

// Row k, of n numbers: h_in times k + 1.5, of `rows` rows. n > 0, rows > 0; h_in and h_out are pinned. Submits everything
// and returns at once: whoever wants h_out waits for `copies`. There is one event for all of it.
void scaled(const float *h_in,
            int n,
            int rows,
            float *d_in,
            float *d_out,
            float *h_out,
            cudaStream_t copies,
            const cudaStream_t *kernels,
            cudaEvent_t mark) {
  const size_t bytes = n * sizeof(float);
  cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice, copies);
  // TODO: each kernel has to come after the copy before it, the copy behind them after all kernels. Leave each in its
  // stream, so that all kernels may run at the same time, and let nobody wait but streams.
  for (int k = 0; k < rows; ++k)
    scale<<<(n + 255) / 256, 256, 0, kernels[k]>>>(d_in, n, k + 1.5f, d_out + k * n);
  // end of TODO
  cudaMemcpyAsync(h_out, d_out, rows * bytes, cudaMemcpyDeviceToHost, copies);
}
