// 12.3 · Own share
//
// Each device has a strip of one long row of numbers, and neighbours' strips overlap at their ends: there two numbers are
// to be added up. Every device adds up a share of the row. Written for strips that are as long as the row.
#include <cuda_runtime.h>

// Rank r has the numbers [first[r], last[r]) of the row, in[r][0] being number first[r]. Strips begin and end in the order
// of the ranks, leave no gap, and overlap with the one before and the one behind, and no other. Every device may reach the memory of all.
struct Everyone {
  const float *in[8];
  int ranks; // [1, 8]
  size_t first[8], last[8];
};

// Where a rank's share of the row's n numbers begins, which is where that of the rank before ends: 0 of rank 0, n of the rank
// after the last one.
size_t share_begins(const Everyone &e, size_t n, int rank) {
  // TODO 1: equal shares. Which ones let as little as can be cross the links?
  return n * rank / e.ranks;
  // end of TODO
}

namespace {

__global__ void add_up(Everyone e, size_t begin, size_t end, float *share) {
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (begin + tid >= end)
    return;
  // TODO 2: not every strip has this number of the row, and none but the first has it at this place.
  float sum = 0;
  for (int r = 0; r < e.ranks; ++r)
    sum += e.in[r][begin + tid];
  // end of TODO
  share[tid] = sum;
}

} // namespace

// share[rank], on devices[rank], becomes the sum of that rank's share. Each device works in its stream, and nobody is
// waited for.
void sum_shares(const Everyone &e,
                size_t n,
                const int *devices,
                const cudaStream_t *streams,
                float *const *share) {
  for (int rank = 0; rank < e.ranks; ++rank) {
    const size_t begin = share_begins(e, n, rank), end = share_begins(e, n, rank + 1);
    if (begin == end)
      continue; // a grid without blocks is an error
    const unsigned blocks = static_cast<unsigned>((end - begin + 255) / 256);
    cudaSetDevice(devices[rank]);
    add_up<<<blocks, 256, 0, streams[rank]>>>(e, begin, end, share[rank]);
  }
}
