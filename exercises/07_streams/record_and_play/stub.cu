// 07.7 · Record once, play often
//
// Heat spreads along two rods, bent to a ring: both ends of the one touch the other. A round is four steps of each rod, and
// then both seams: ten tiny kernels, which the host can't launch as fast as the device is done with them. A graph holds a
// whole round: one launch for ten. And in a graph neither rods nor seams need take turns.
#include <cuda_runtime.h>

namespace {

// One step of heat that spreads along a rod whose ends are kept.
__global__ void step(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

// The end of one rod and the beginning of the other become equally warm.
__global__ void touch(float *left, float *right, int n) {
  left[n - 1] = right[0] = 0.5f * (left[n - 1] + right[0]);
}

// Four steps of a rod, to and fro; the result is in d_rod again. n > 1.
void four_steps(float *d_rod, float *d_scratch, int n, cudaStream_t stream) {
  for (int pair = 0; pair < 2; ++pair) {
    step<<<(n + 127) / 128, 128, 0, stream>>>(d_rod, n, d_scratch);
    step<<<(n + 127) / 128, 128, 0, stream>>>(d_scratch, n, d_rod);
  }
}

} // namespace

// A round as a graph that can be launched, in which the rods' steps run side by side, and then the seams. Nothing of it runs
// yet, and afterwards neither stream is captured any more. d_scratch has room for 2 n. There is one event for all of it.
cudaGraphExec_t recorded(float *d_left,
                         float *d_right,
                         float *d_scratch,
                         int n,
                         cudaStream_t stream,
                         cudaStream_t other,
                         cudaEvent_t mark) {
  cudaGraphExec_t round = nullptr;
  // TODO 1: capture a round, half of it in `other`, and make it fit to be launched. A seam needs both rods' steps, and not
  // the other seam.
  four_steps(d_left, d_scratch, n, stream);
  four_steps(d_right, d_scratch + n, n, stream);
  touch<<<1, 1, 0, stream>>>(d_left, d_right, n);
  touch<<<1, 1, 0, stream>>>(d_right, d_left, n);
  (void)other;
  (void)mark;
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
