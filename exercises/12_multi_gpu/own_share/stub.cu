// 12.3 · Own share
//
// Each device has a vector, and gets the sum of all of them: not all of it, only a share of its own. Right,
// and each device fetches all vectors whole, to throw most of what it has added up away.
#include <cuda_runtime.h>

// The devices' vectors, of n elements each. Every device may reach the memory of all.
struct Everyone {
  const float *in[8];
  int ranks; // [1, 8]
};

namespace {

// A rank's share of [0, n): [first, last). Shares differ in length by one at most.
size_t first_of(size_t n, int ranks, int rank) { return n * rank / ranks; }

__global__ void add_up(Everyone e, size_t n, size_t first, size_t last, float *share) {
  // TODO 1: add up the share and nothing else. A thread for each of its elements is enough.
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = e.in[0][i];
    for (int r = 1; r < e.ranks; ++r)
      sum += e.in[r][i];
    if (i >= first && i < last)
      share[i - first] = sum;
  }
  // end of TODO
}

} // namespace

// share[rank], on devices[rank], becomes the sum of that rank's share: last - first elements. Added up in the
// order of the ranks. Each device works in its stream, and nobody is waited for.
void sum_shares(const Everyone &e,
                size_t n,
                const int *devices,
                const cudaStream_t *streams,
                float *const *share) {
  for (int rank = 0; rank < e.ranks; ++rank) {
    const size_t first = first_of(n, e.ranks, rank), last = first_of(n, e.ranks, rank + 1);
    // TODO 2: threads for the share. It may be empty, and a grid may not.
    const size_t threads = n;
    if (n == 0)
      continue;
    // end of TODO
    const unsigned blocks = static_cast<unsigned>((threads + 255) / 256);
    cudaSetDevice(devices[rank]);
    add_up<<<blocks, 256, 0, streams[rank]>>>(e, n, first, last, share[rank]);
  }
}
