// v3, but each device begins its sum with its own vector, the nearest one.
#pragma once

#include "problem.hpp"

namespace trap_own_first {

inline const char *why = "float additions in another order round otherwise. Each sum is as good as "
                         "any, but the devices no "
                         "longer have the same one, and what is computed from it drifts apart. One "
                         "order for all: that of "
                         "the ranks. (Two devices are safe: a + b = b + a.)";

__global__ void add_up(Everyone e, size_t n, int rank) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n; i += threads) {
    float sum = e.in[rank][i];
    for (int r = 1; r < e.ranks; ++r)
      sum += e.in[(rank + r) % e.ranks][i];
    e.out[rank][i] = sum;
  }
}

inline void run(Vectors &p) {
  const Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const OnDevice current(p.team.device(rank));
    add_up<<<blocks_for(p.n), block, 0, p.team.stream(rank)>>>(e, p.n, rank);
    LAB_CHECK_LAUNCH();
  }
  p.team.join();
}

} // namespace trap_own_first
