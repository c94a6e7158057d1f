// 12.4 · Stale borders
//
// A rod is cut into pieces, one for each device. In each sweep every cell becomes a sum of itself and its two
// neighbours, and at the ends of a piece a neighbour lies on another device. The first sweep is right.
#include <cuda_runtime.h>

// Two arrays of n + 2 cells on this device: [1, n] are its own, 0 and n + 1 are copies of the cells next to
// them, which belong to the ranks before and after. A stream and an event of this device.
struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t told;
  unsigned *cells[2];
};

namespace {

__global__ void sweep_once(const unsigned *in, int n, unsigned *out) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x; // [1, n] and some more
  if (i <= n)
    out[i] = in[i - 1] + 2 * in[i] + in[i + 1];
}

} // namespace

// n > 0. cells[0] holds the beginning, copies of neighbours' cells as well; sweep number s, from 0, reads
// cells[s % 2] and writes the other array. Cell 0 of the first rank and cell n + 1 of the last one are 0 in
// both arrays, and stay so. Asks for everything and returns at once: who wants the cells waits for all streams.
void sweep_often(const Rank *rank, int ranks, int n, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int r = 0; r < ranks; ++r) {
      cudaSetDevice(rank[r].device);
      sweep_once<<<(n + 255) / 256, 256, 0, rank[r].stream>>>(
          rank[r].cells[sweep % 2], n, rank[r].cells[(sweep + 1) % 2]);
    }
    // TODO: before the next sweep each rank has to have its neighbours' new cells: one from the left, one from
    // the right. The streams have to know of it, and nobody else may wait.
    // end of TODO
  }
}
