// Was:   every device made every sum: ranks - 1 whole vectors came over its link.
// Now:   a share for each. A device adds up its share and stores it into the sums of all devices.
// Watch: link KiB, for two ranks and for more.
#pragma once

#include "problem.hpp"

namespace v4 {

// Adds up the vectors in rank order, from `first` on, into the sums of all ranks.
static __global__ void add_up(Everyone e, size_t first, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n; i += threads) {
    float sum = e.in[0][first + i];
    for (int r = 1; r < e.ranks; ++r)
      sum += e.in[r][first + i];
    for (int r = 0; r < e.ranks; ++r)
      e.out[r][first + i] = sum;
  }
}

inline void run(Vectors &p) {
  const Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, p.ranks(), rank);
    add_up<<<blocks_for(share.length), block, 0, p.team.stream(rank)>>>(
        e, share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
  p.team.join();
}

} // namespace v4
