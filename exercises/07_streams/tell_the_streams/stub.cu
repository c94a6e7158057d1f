// 07.5 · Tell the streams
//
// Numbers go to the device in one stream, a kernel works on them in another one, and the result comes back
// in the first. Nothing makes one stream wait for the other.
#include <cuda_runtime.h>

namespace {

__global__ void scale(const float *in, int n, float factor, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = factor * in[i];
}

} // namespace

// n > 0; h_in and h_out are pinned. Submits everything and returns at once: whoever wants h_out waits for
// `copies`. The two events are yours: one for the numbers that have arrived, one for the kernel.
void scaled(const float *h_in,
            int n,
            float factor,
            float *d_in,
            float *d_out,
            float *h_out,
            cudaStream_t copies,
            cudaStream_t kernels,
            cudaEvent_t arrived,
            cudaEvent_t done) {
  const size_t bytes = n * sizeof(float);
  cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice, copies);
  // TODO: the kernel has to come after the copy before it, the copy behind it after the kernel. Leave each in
  // its stream, and let nobody wait but streams.
  scale<<<(n + 255) / 256, 256, 0, kernels>>>(d_in, n, factor, d_out);
  // end of TODO
  cudaMemcpyAsync(h_out, d_out, bytes, cudaMemcpyDeviceToHost, copies);
}
