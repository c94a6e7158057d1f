// v2, and device 0 does not wait for the vectors that are sent to it.
#pragma once

#include "steps/v2_one_adds.cuh"

namespace trap_no_wait {

inline const char *why = "each device's streams are in order, and between devices there is no "
                         "order at all: device 0 may add before the vectors have arrived.";

inline void run(Vectors &p) {
  Everyone e = everyone(p);
  p.team.fork();
  for (int rank = 1; rank < p.ranks(); ++rank) {
    float *const here = p.spare[0].data() + (rank - 1) * p.n;
    LAB_CHECK(cudaMemcpyPeerAsync(
        here, p.team.device(0), e.in[rank], p.team.device(rank), p.bytes(), p.team.stream(rank)));
    e.in[rank] = here;
  }
  {
    const OnDevice current(p.team.device(0));
    v2::add_up<<<blocks_for(p.n), block, 0, p.team.stream(0)>>>(e, p.n, 0);
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

} // namespace trap_no_wait
