// "volatile makes it safe": it makes each thread really read and really write. No more.
#pragma once

#include "problem.hpp"

namespace trap_volatile_counter {

inline const char *why =
    "volatile keeps the compiler from leaving out a read or a write. It does not make two threads "
    "take turns: all lanes read the same number, add 1 and write the same number back.";

__global__ void count(size_t n, volatile unsigned *counts) {
  unsigned seen = 0;
  if (threadIdx.x < n)
    seen = counts[0];
  __syncwarp(); // what a warp does anyway, most of the time: all lanes read, then all lanes write
  if (threadIdx.x < n)
    counts[0] = seen + 1;
}

inline void run(Histogram &p) {
  p.expected.assign(bins, 0);
  p.expected[0] = static_cast<unsigned>(p.n);
  empty_bins(p);
  count<<<1, p.block>>>(p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_volatile_counter
