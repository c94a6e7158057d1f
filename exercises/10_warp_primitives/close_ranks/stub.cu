// 10.3 · Close ranks
//
// Readings with gaps: each gap takes the nearest reading of its warp. Right, and with a vote and 62 shuffles.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers. A 0 is a gap: out gets the nearest number that is none, among
// the warp's 32, and of two that are as near the left one. Where all 32 are gaps they stay 0. counts has an
// element for each 32 numbers, also the last few: how many of them were no gaps.
__global__ void close_ranks(const unsigned *in, int n, unsigned *out, unsigned *counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned value = i < n ? in[i] : 0;

  // TODO: the vote, which is only counted here, says which lanes have a number. So each lane can know whom to
  // ask, and one shuffle does: in __shfl_sync every lane may name another one. The lowest bit of a word is
  // __ffs(word) - 1, the highest 31 - __clz(word).
  const unsigned kept = __popc(__ballot_sync(0xffffffff, value != 0));
  unsigned nearest = value;
  for (int distance = 1; distance < 32; ++distance) {
    const unsigned left = __shfl_up_sync(0xffffffff, value, distance);
    const unsigned right = __shfl_down_sync(0xffffffff, value, distance);
    if (nearest == 0)
      nearest = left != 0 ? left : right;
  }
  // end of TODO

  if (i < n)
    out[i] = nearest;
  if (lane == 0 && i < n)
    counts[i / 32] = kept;
}
