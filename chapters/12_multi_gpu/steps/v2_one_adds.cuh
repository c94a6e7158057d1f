// Was:   everything went through the host, and one of its cores added.
// Now:   device 0 gets the other vectors from device to device, adds them up, and sends the sum out.
// Watch: host KiB falls to 0; link KiB, of the busiest device, is what device 0 gets and sends.
#pragma once

#include "problem.hpp"

namespace v2 {

// Adds up the vectors in rank order, into the sum of one rank.
static __global__ void add_up(Everyone e, size_t n, int rank) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n; i += threads) {
    float sum = e.in[0][i];
    for (int r = 1; r < e.ranks; ++r)
      sum += e.in[r][i];
    e.out[rank][i] = sum;
  }
}

inline void run(Vectors &p) {
  Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 1; rank < p.ranks(); ++rank) {
    float *const here = p.spare[0].data() + (rank - 1) * p.n;
    LAB_CHECK(cudaMemcpyPeerAsync(
        here, p.team.device(0), e.in[rank], p.team.device(rank), p.bytes(), p.team.stream(rank)));
    e.in[rank] = here;
    p.team.wait(0, rank);
  }
  {
    const OnDevice current(p.team.device(0));
    add_up<<<blocks_for(p.n), block, 0, p.team.stream(0)>>>(e, p.n, 0);
    LAB_CHECK_LAUNCH();
  }
  for (int rank = 1; rank < p.ranks(); ++rank) {
    p.team.wait(rank, 0);
    LAB_CHECK(cudaMemcpyPeerAsync(e.out[rank],
                                  p.team.device(rank),
                                  e.out[0],
                                  p.team.device(0),
                                  p.bytes(),
                                  p.team.stream(rank)));
  }
  p.team.join();
}

} // namespace v2
