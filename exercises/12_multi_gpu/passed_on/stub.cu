// 12.7 · Passed on
//
// Each device has a share, and all shall have all shares: an all-gather, the other half of an all-reduce. Only neighbours
// have a link, so shares go round a ring. All are right in the end; but a link carries as much to the left as to the right,
// both at the same time, and here nothing goes to the left.
#include <cuda_runtime.h>

// A device, and room on it for the shares of all ranks: rank r's begins at all[r * n]. For what goes to the right it has
// stream[0] and passed[0], for what goes to the left stream[1] and passed[1].
struct Rank {
  int device;
  cudaStream_t stream[2];
  cudaEvent_t passed[2];
  float *all;
};

namespace {

// One rank sends another one `count` numbers that it has, all[first] and those behind it, in its stream for this way.
void send(const Rank &from, const Rank &to, int way, size_t first, size_t count) {
  cudaMemcpyPeerAsync(to.all + first,
                      to.device,
                      from.all + first,
                      from.device,
                      count * sizeof(float),
                      from.stream[way]);
}

} // namespace

// n > 0 numbers in each share; at first each rank has its own alone. Asks for everything and returns at once: when stream[0]
// of a rank is done, all shares are there, whichever side they came from. Half of what a rank needs comes from its left, and
// at the same time the other half from its right. (If n is odd, (n + 1) / 2 numbers of each share may come from one side. Of
// two ranks each is on both sides of the other.)
//
// Four ranks: each needs three shares, so one and a half come from the left, and one and a half from the right.
void gather(const Rank *rank, int ranks, size_t n) {
  // TODO: both ways.
  for (int round = 0; round + 1 < ranks; ++round) {
    for (int r = 0; r < ranks; ++r) {
      const int whose = (r - round + ranks) % ranks; // the share that came in the round before
      send(rank[r], rank[(r + 1) % ranks], 0, whose * n, n);
      cudaEventRecord(rank[r].passed[0], rank[r].stream[0]);
    }
    for (int r = 0; r < ranks; ++r)
      cudaStreamWaitEvent(rank[r].stream[0], rank[(r + ranks - 1) % ranks].passed[0], 0);
  }
  // end of TODO
}
