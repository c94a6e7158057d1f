// 03.2 · Pieces
//
// The 32 lanes of a warp load 32 different ints, by one request. Side by side these lie in 4 sectors of 32 bytes; and no cache
// has them, so DRAM delivers 2 pieces of 64 bytes, which are two sectors each. You choose what a warp touches. For 6 sectors
// in 5 pieces, to take an example, it can have ints of sectors 0 and 1, which are one piece, and of sectors 2, 4, 6 and 8.
#include <cuda_runtime.h>

// Your mountains: the heights of ten places, from 4 to 30, one beside the other. Raise others.
struct Land {
  int heights[10];
};
Land land() { return {{7, 15, 24, 11, 19, 30, 16, 21, 9, 4}}; }

// Block `col` is one warp, and draws column `col`: it shall touch heights[col] sectors, from 4 to 32, in depths[col] pieces, which
// is at least half as many and at most as many. `in` begins with a piece, and has 32 of them: sectors 0 to 63, of 8 ints each.
__global__ void draw(const int *in, const int *heights, const int *depths, int *out) {
  const int lane = threadIdx.x;
  const int sectors = heights[blockIdx.x], pieces = depths[blockIdx.x];
  // TODO: side by side it is always 4 and 2. Which int does a lane load?
  (void)sectors, (void)pieces;
  const int i = lane;
  // end of TODO
  out[blockIdx.x * 32 + lane] = in[i];
}
