// 12.7 · Passed on
//
// Each device has a share, and all shall have all shares: an all-gather, the other half of an all-reduce. Here
// everybody sends to everybody. In many machines only neighbours have a link: then it has to be a ring.
#include <cuda_runtime.h>

// A device, a stream and an event of it, and room for the shares of all ranks: rank r's begins at all[r * n].
struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t passed;
  float *all;
};

namespace {

// One rank sends another one a share that it has, in its own stream.
void send(const Rank &from, const Rank &to, int whose, size_t n) {
  cudaMemcpyPeerAsync(to.all + whose * n,
                      to.device,
                      from.all + whose * n,
                      from.device,
                      n * sizeof(float),
                      from.stream);
}

} // namespace

// n > 0 numbers in each share; at the beginning each rank has its own, and nobody is at work. Asks for
// everything and returns at once: what is asked of rank[r].stream afterwards finds all shares on r.
void gather(const Rank *rank, int ranks, size_t n) {
  // TODO: a ring. A rank sends to the one on its right alone, (r + 1) % ranks, and in ranks - 1 rounds: first
  // its own share, then, round by round, the share that has come from the left in the round before.
  for (int r = 0; r < ranks; ++r) {
    for (int other = 0; other < ranks; ++other)
      if (other != r)
        send(rank[r], rank[other], r, n);
    cudaEventRecord(rank[r].passed, rank[r].stream);
  }
  for (int r = 0; r < ranks; ++r)
    for (int other = 0; other < ranks; ++other)
      if (other != r)
        cudaStreamWaitEvent(rank[r].stream, rank[other].passed, 0);
  // end of TODO
}
