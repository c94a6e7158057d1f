// 07.7 · Record once, play often
//
// A round is eight tiny kernels; a thousand rounds are eight thousand launches, and the host can't launch as
// fast as the device is done with them. A graph holds a whole round: one launch for eight.
#include <cuda_runtime.h>

namespace {

// One step of heat that spreads along a rod whose ends are kept.
__global__ void step(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

// Eight steps, to and fro; the result is in d_a again. n > 0.
void one_round(float *d_a, float *d_b, int n, cudaStream_t stream) {
  for (int pair = 0; pair < 4; ++pair) {
    step<<<(n + 127) / 128, 128, 0, stream>>>(d_a, n, d_b);
    step<<<(n + 127) / 128, 128, 0, stream>>>(d_b, n, d_a);
  }
}

} // namespace

// A round as a graph that can be launched. Nothing of it runs yet.
cudaGraphExec_t recorded(float *d_a, float *d_b, int n, cudaStream_t stream) {
  cudaGraphExec_t round = nullptr;
  // TODO 1: capture what one_round() submits to the stream, and make it fit to be launched.
  one_round(d_a, d_b, n, stream);
  // end of TODO
  return round;
}

// `times` rounds, in the stream. Returns without waiting.
void play(cudaGraphExec_t round, int times, cudaStream_t stream) {
  // TODO 2
  (void)round;
  (void)times;
  (void)stream;
  // end of TODO
}
