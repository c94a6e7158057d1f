// 12.4 · Stale borders
//
// A rod is cut into pieces, one for each device. A sweep computes every second cell from itself and its two
// neighbours, in place, and the next sweep the cells in between. At the ends of a piece a neighbour lies on another
// device. The first sweep is right.
#include <cuda_runtime.h>

// n + 2 cells on this device: [1, n] are its own, 0 and n + 1 are copies of the cells next to them, which belong to
// the ranks before and after. A stream and an event of this device.
struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t told;
  unsigned *cells;
};

namespace {

// Cells 1, 3, 5, … or 2, 4, 6, …, up to n.
__global__ void sweep_half(unsigned *cells, int n, int first) {
  const int i = first + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i <= n)
    cells[i] = cells[i - 1] + 2 * cells[i] + cells[i + 1];
}

} // namespace

// n is even, and not 0. At the beginning the copies are right. Sweep number s, from 0, computes cells 1, 3, 5, … of each
// piece if s is even, and 2, 4, 6, … if it is odd. Cell 0 of the first rank and cell n + 1 of the last one are 0, and
// stay so. Asks for everything and returns at once: who wants the cells waits for all streams.
void sweep_in_place(const Rank *rank, int ranks, int n, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int r = 0; r < ranks; ++r) {
      cudaSetDevice(rank[r].device);
      sweep_half<<<(n / 2 + 255) / 256, 256, 0, rank[r].stream>>>(rank[r].cells, n, 1 + sweep % 2);
    }
    // TODO: tell the neighbours what the next sweep reads, and nothing else: of which piece is a cell at an end new now, and
    // who reads it? The streams have to know of it, and whoever gets nothing may not wait.
    // end of TODO
  }
}
