// 10.5 · One after the other, all at once
//
// A recurrence from right to left: y[i] = a[i] * y[i + 1] + b[i], modulo 2^32; behind the last step of a row y is 0. Every step
// needs the one behind it. Right, with one lane of a warp.
#include <cuda_runtime.h>

// A step: y becomes a * y + b.
struct Step {
  unsigned a, b;
};

// Two steps in one, first `earlier`, then `later`. Which one comes first matters.
__device__ Step then(const Step &earlier, const Step &later) {
  // TODO 1: one step that does to any y what these two do to it, one after the other.
  return later;
  // end of TODO
}

// Blocks of one warp, each with a row of n steps: block r begins at a[r * n].
//
// With a = 10 10 10 and b = 4 2 1 the y of a row are 124 12 1: b has the digits of a number, and a its base.
__global__ void recurrence(const unsigned *a, const unsigned *b, int n, unsigned *y) {
  const size_t row = static_cast<size_t>(blockIdx.x) * n;
  a += row, b += row, y += row;
  // TODO 2: 32 steps at a time, from the right. Each lane loads one, once, and five rounds of two shuffles give lane k the
  // steps of lanes 31 down to k in one. What have the steps on their right come to?
  if (threadIdx.x == 0) {
    unsigned now = 0;
    for (int i = n - 1; i >= 0; --i) {
      now = a[i] * now + b[i];
      y[i] = now;
    }
  }
  // end of TODO
}
