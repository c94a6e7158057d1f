// 10.6 · A board of pins
//
// Balls run down a board of pins into 256 slots, and some jump off it. In each slot balls come to rest at the
// heights 0, 1, 2 … each taken by one ball, in any order. Right, but every ball costs an atomic addition.
#include <cuda_runtime.h>

constexpr unsigned jumped_off = 0xffffffff; // the height of a ball that is in no slot

// Blocks of 128 threads, enough for n balls. slots: [0, 256), and larger numbers of balls that have jumped off.
// filled has 256 elements, which are 0 at first and end as the numbers of balls in the slots.
__global__ void tickets(const unsigned *slots, int n, unsigned *filled, unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // a mask may still name lanes that have left the kernel: nobody waits for them
  const unsigned slot = slots[i];

  // TODO: let the lanes whose balls are in one slot find each other. One of them takes as many heights as they
  // are, and tells the others where these begin. Of those, each takes its own.
  unsigned height = jumped_off;
  if (slot < 256)
    height = atomicAdd(&filled[slot], 1u);
  // end of TODO

  out[i] = height;
}
