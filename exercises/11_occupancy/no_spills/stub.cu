// 11.4 · No spills
//
// Music for the eye: a piano has noted which of its 88 keys were struck, one after the other, and how often each was struck
// draws a picture. A thread that counts a key in a register needs no atomic until the end. With 20 keys at a time that is
// five passes over all strokes.
#include <cuda_runtime.h>

constexpr int keys = 88;
// Registers that the kernel needs beside those of the counts, as ptxas says.
constexpr int beside = 11;

struct Bound {
  int threads, blocks; // __launch_bounds__(threads, blocks)
};

// The most registers per thread, up to 255, with which so many blocks fit on an H200's multiprocessor. There are places for
// the threads: 2048 at most, whole warps. {256, 5} leaves 48.
constexpr int registers_for(Bound bound) {
  // TODO 1: not so many.
  return 65536 / (bound.threads * bound.blocks);
  // end of TODO
}

// TODO 2: the most warps per pass: those of a multiprocessor, divided by the passes that 88 keys take. Nothing may spill.
constexpr Bound bound = {256, 5};
constexpr int kept = 20; // keys that a thread counts at a time
// end of TODO

// Counts the keys from `first` on, `kept` of them. Any number of blocks is right.
__global__ void __launch_bounds__(bound.threads, bound.blocks)
    weigh(const unsigned char *in, int n, int first, unsigned *counts) {
  unsigned count[kept] = {};
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int key = in[i] - first;
#pragma unroll
    for (int k = 0; k < kept; ++k)
      count[k] += 1 - min(1, abs(key - k)); // 1 of the key that was struck, 0 of others
  }
#pragma unroll
  for (int k = 0; k < kept; ++k)
    if (count[k] > 0 && first + k < keys)
      atomicAdd(&counts[first + k], count[k]);
}

// n > 0; counts are 0 before.
void weigh_all(const unsigned char *d_in, int n, unsigned *d_counts) {
  for (int first = 0; first < keys; first += kept)
    weigh<<<(n + bound.threads - 1) / bound.threads, bound.threads>>>(d_in, n, first, d_counts);
}

Bound bound_of_weigh() { return bound; } // for the checker
int kept_by_weigh() { return kept; }
int registers_of(Bound bound) { return registers_for(bound); }
