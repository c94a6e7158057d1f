// 06.2 · Bins of one's own
//
// A postcard has come in pieces. A piece is a number: 64 * row + column. Each row wants its pieces side by side, in any
// order: of 130, 7 and 129 row 0 gets 7, and row 2 gets 130 and 129.
// Right, and all threads ask the same 40 words of global memory for their places.
#include <cuda_runtime.h>

// A thread for each of n pieces, of 40 rows. Row r's list begins at lists[r * n]; ends[r] is how many are in it, 0 at first.
__global__ void into_rows(const unsigned *pieces, int n, unsigned *lists, int *ends) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: a block may ask global memory 40 times, once for each row, however many pieces it has. All others of its questions
  // go to shared memory. So where does a piece's own place come from?
  if (i < n) {
    const int row = pieces[i] / 64;
    lists[row * n + atomicAdd(&ends[row], 1)] = pieces[i];
  }
  // end of TODO
}
