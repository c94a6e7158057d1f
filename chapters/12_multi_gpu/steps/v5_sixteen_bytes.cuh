// Was:   4 bytes per thread and request: a warp asks a link for 128 bytes at a time.
// Now:   16 bytes: a quarter of the requests for the same bytes. (The last few elements go alone.)
// Watch: sectors per request, 4 to 16; the time stays, as the links were full before.
#pragma once

#include "problem.hpp"
#include "steps/sixteen_bytes.cuh"

namespace v5 {

// Adds up the vectors in rank order, from `first` on, into the sums of all ranks.
static __global__ void add_up(Everyone e, size_t first, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n / 4; i += threads) {
    float4 sum = four_at(e.in[0] + first, i);
    for (int r = 1; r < e.ranks; ++r)
      sum = sum + four_at(e.in[r] + first, i);
    for (int r = 0; r < e.ranks; ++r)
      four_at(e.out[r] + first, i) = sum;
  }
  add_up_tail(e, first + n / 4 * 4, first + n);
}

inline void run(Vectors &p) {
  const Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, p.ranks(), rank);
    add_up<<<blocks_for(share.length / 4), block, 0, p.team.stream(rank)>>>(
        e, share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
  p.team.join();
}

} // namespace v5
