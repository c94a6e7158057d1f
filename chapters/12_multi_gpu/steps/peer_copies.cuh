// What the links give when they do nothing but copy: as many bytes from each rank to the next as every
// solution must move, all ranks at once. Beside the ladder, and its yardstick.
#pragma once

#include "problem.hpp"

namespace peer_copies {

inline void run(Vectors &p) {
  const int ranks = p.ranks();
  p.team.fork();
  size_t left = static_cast<size_t>(bus_bytes(static_cast<double>(p.n), ranks)); // floats
  while (left > 0) {
    const size_t now = left < p.n ? left : p.n;
    for (int rank = 0; rank < ranks; ++rank) {
      const int next = (rank + 1) % ranks;
      LAB_CHECK(cudaMemcpyPeerAsync(p.spare[next].data(),
                                    p.team.device(next),
                                    p.in[rank].data(),
                                    p.team.device(rank),
                                    now * sizeof(float),
                                    p.team.stream(rank)));
    }
    left -= now;
  }
  p.team.join();
}

// Each rank must have the vector of the rank before it.
inline lab::Verdict check(Vectors &p) {
  LAB_CHECK(cudaDeviceSynchronize()); // of device 0, which has waited for all
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const int next = (rank + 1) % p.ranks();
    std::vector<float> sent(p.n), arrived(p.n);
    const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
    LAB_CHECK(cudaMemcpy(sent.data(), p.in[rank].data(), p.bytes(), kind));
    LAB_CHECK(cudaMemcpy(arrived.data(), p.spare[next].data(), p.bytes(), kind));
    if (lab::Verdict verdict = lab::compare(arrived, sent); !verdict.ok)
      return verdict;
  }
  return lab::Verdict::right();
}

} // namespace peer_copies
