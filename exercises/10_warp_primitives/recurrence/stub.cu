// 10.5 · One after the other, all at once
//
// A recurrence from right to left: y[i] = a[i] * y[i + 1] + b[i], modulo 2^32; behind the last step of a block y is 0.
// Every step needs the one behind it. Right, with one thread of a block.
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

// TODO 2: scan the steps of a warp, with then() for +. Lane k gets the steps of lanes 31 down to k in one, 31 first. A
// step takes two shuffles.
__device__ void scan_of_warp(Step &mine) {}
// end of TODO

// Blocks of a multiple of 32 threads, at most 1024; a thread for each of n steps.
__global__ void recurrence(const unsigned *a, const unsigned *b, int n, unsigned *y) {
  // TODO 3: a thread for each step. Scan the warps, then what the warps have come to: two barriers. All steps of the
  // block from its last one down to i in one, beginning with y = 0, give y[i].
  if (threadIdx.x == 0) {
    unsigned now = 0;
    const int first = blockIdx.x * blockDim.x, end = first + static_cast<int>(blockDim.x);
    for (int i = (end < n ? end : n) - 1; i >= first; --i) {
      now = a[i] * now + b[i];
      y[i] = now;
    }
  }
  // end of TODO
}
