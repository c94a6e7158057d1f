// All vectors' shares go round: each rank adds its own to what comes from the rank before it, until
// every share has met everybody; then the finished shares go round once more. Beside the ladder.
#pragma once

#include "problem.hpp"
#include "steps/sixteen_bytes.cuh"

namespace ring {

// to[i] = from[i] + own[i], or from[i] where `own` is null.
static __global__ void pass_on(const float *from, const float *own, float *to, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n / 4; i += threads)
    four_at(to, i) = own ? four_at(from, i) + four_at(own, i) : four_at(from, i);
  const size_t rest = n / 4 * 4 + tid;
  if (rest < n)
    to[rest] = own ? from[rest] + own[rest] : from[rest];
}

inline void run(Vectors &p) {
  const int ranks = p.ranks();
  p.team.fork();
  for (int round = 0; round < 2 * (ranks - 1); ++round) {
    if (round > 0)
      p.team.meet(); // each waits for the rank before it, and for who reads what it will write
    for (int rank = 0; rank < ranks; ++rank) {
      const int before = (rank + ranks - 1) % ranks;
      const int owner = (rank - round - 1 + 2 * ranks) % ranks; // whose share this rank works on
      const Share share = share_of(p.n, ranks, owner);
      const float *const from = (round == 0 ? p.in : p.out)[before].data() + share.first;
      const float *const own = round < ranks - 1 ? p.in[rank].data() + share.first : nullptr;
      const OnDevice current(p.team.device(rank));
      pass_on<<<blocks_for(share.length / 4), block, 0, p.team.stream(rank)>>>(
          from, own, p.out[rank].data() + share.first, share.length);
      LAB_CHECK_LAUNCH();
    }
  }
  p.team.join();
}

} // namespace ring
