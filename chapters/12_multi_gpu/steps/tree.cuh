// Sums go up a tree of ranks in pairs, and the whole sum comes down again the same way: fewer rounds than
// a ring, and whole vectors over the links in each. Beside the ladder.
#pragma once

#include "steps/ring.cuh"

namespace tree {

// In the stream of `rank`: to[i] = from[i] + own[i], or from[i] where `own` is null; whole vectors.
inline void pass_on(Vectors &p, int rank, const float *from, const float *own, float *to) {
  const OnDevice current(p.team.device(rank));
  ring::pass_on<<<blocks_for(p.n / 4), block, 0, p.team.stream(rank)>>>(from, own, to, p.n);
  LAB_CHECK_LAUNCH();
}

inline void run(Vectors &p) {
  const int ranks = p.ranks();
  int apart = 1;
  p.team.fork();
  for (; apart < ranks; apart *= 2) // up: 0 gets 1, 2 gets 3; then 0 gets 2
    for (int rank = 0; rank + apart < ranks; rank += 2 * apart) {
      const int other = rank + apart;
      p.team.wait(rank, other);
      pass_on(p,
              rank,
              (apart == 1 || other + 1 == ranks ? p.in : p.out)[other].data(),
              (apart == 1 ? p.in : p.out)[rank].data(),
              p.out[rank].data());
    }
  for (apart /= 2; apart > 0; apart /= 2) // down: 2 gets it from 0; then 1 from 0, 3 from 2
    for (int rank = 0; rank + apart < ranks; rank += 2 * apart) {
      p.team.wait(rank + apart, rank);
      pass_on(p, rank + apart, p.out[rank].data(), nullptr, p.out[rank + apart].data());
    }
  p.team.join();
}

} // namespace tree
