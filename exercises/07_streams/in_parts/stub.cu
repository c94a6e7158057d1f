// 07.4 · In parts
//
// There, a kernel, and back: one after the other, while two thirds of the hardware are idle. In parts, one
// part's kernel runs beside the next one's copy.
#include <cuda_runtime.h>

namespace {

__global__ void polynomial(float *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count) and some more
  if (i < count)
    values[i] = values[i] * values[i] + 1.0f;
}

} // namespace

// n >= 0; h_in and h_out are pinned, d_values has n elements. Returns without waiting: whoever wants h_out
// waits for all streams. They do not wait for the default stream.
void in_parts(const float *h_in,
              int n,
              float *d_values,
              float *h_out,
              int parts,
              const cudaStream_t *streams,
              int stream_count) {
  const int whole = (n + parts - 1) / parts; // elements of a part; of the last one, what is left
  // TODO: in parts of `whole` elements, each in the stream that is next. The last part may have fewer; if n is
  // small, the last parts have none.
  (void)whole;
  (void)stream_count;
  if (n == 0)
    return;
  cudaMemcpyAsync(d_values, h_in, n * sizeof(float), cudaMemcpyHostToDevice, streams[0]);
  polynomial<<<(n + 255) / 256, 256, 0, streams[0]>>>(d_values, n);
  cudaMemcpyAsync(h_out, d_values, n * sizeof(float), cudaMemcpyDeviceToHost, streams[0]);
  // end of TODO
}
