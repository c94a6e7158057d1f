// 10.6 · A board of pins
//
// Balls of size 1, 2 or 3 run down a board of pins into 256 slots. In each slot they lie one on the other, in any order. A
// ball's height is the sum of the sizes below it. Right, but every ball costs an atomic addition.
#include <cuda_runtime.h>

constexpr unsigned jumped_off = 0xffffffff; // the height of a ball that is in no slot

// Blocks of 128 threads, enough for n balls. slots: [0, 256), and larger numbers of balls that have jumped off.
// filled has 256 elements, which are 0 at first and end as the heights of the piles.
//
// Slots 7 2 7 7 and sizes 3 1 2 1: two atomic additions, 6 for slot 7 and 1 for slot 2, and heights of 0 0 3 5.
__global__ void
tickets(const unsigned *slots, const unsigned *sizes, int n, unsigned *filled, unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned slot = i < n ? slots[i] : 256; // without a ball: off the board
  const unsigned size = i < n ? sizes[i] : 0;

  // TODO: let the lanes whose balls are in one slot find each other. One of them asks for the room of all, and
  // tells the others where it begins. Each then lies on those of its slot on its left.
  unsigned height = jumped_off;
  if (slot < 256)
    height = atomicAdd(&filled[slot], size);
  // end of TODO

  if (i < n)
    out[i] = height;
}
