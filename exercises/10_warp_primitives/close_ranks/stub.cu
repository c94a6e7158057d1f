// 10.3 · Close ranks
//
// Each warp has 32 numbers and keeps those that are not 0, in their order: side by side, from the first of
// its 32 places on. Right, and with six shuffles.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n numbers. counts has an element for each 32 numbers, also the last
// few: how many of them were kept. Places that nothing is moved to stay as they were.
__global__ void close_ranks(const unsigned *in, int n, unsigned *out, unsigned *counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned value = i < n ? in[i] : 0;
  const bool keep = value != 0;

  // TODO: `before` is how many lanes on the left keep theirs, `kept` how many of all 32 do: a scan of
  // zeros and ones. 32 of these fit in one word, and __ballot_sync() makes it; __popc() counts its bits.
  unsigned before = keep;
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffff, before, offset);
    if (lane >= offset)
      before += other;
  }
  const unsigned kept = __shfl_sync(0xffffffff, before, 31);
  before -= keep;
  // end of TODO

  if (keep)
    out[i - lane + before] = value;
  if (lane == 0 && i < n)
    counts[i / 32] = kept;
}
