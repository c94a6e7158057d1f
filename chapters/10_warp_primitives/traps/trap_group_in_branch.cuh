// The threads that have an element make a group of their warp, and hand its sum to all.
#pragma once

#include "problem.hpp"

#include <cooperative_groups.h>

namespace trap_group_in_branch {

namespace cg = cooperative_groups;

inline const char *why =
    "a tile of 32 is the whole warp, whoever made it. Its last lane is asked for the sum, and that "
    "lane has not come. Make groups where all threads pass, or take coalesced_threads() and ask "
    "for its last rank.";

__global__ void share_sum(const Value *in, unsigned n, Value *out) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.thread_rank();
  if (i < n) {
    const auto warp = cg::tiled_partition<32>(block);
    Value sum = in[i];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
      const Value left = warp.shfl_up(sum, offset);
      if (warp.thread_rank() >= offset)
        sum += left;
    }
    out[i] = warp.shfl(sum, 31);
  }
}

inline void run(Scan &p) {
  p.expected.assign(p.n, p.expected.back());
  share_sum<<<1, 32>>>(p.d_in.data(), static_cast<unsigned>(p.n), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_group_in_branch
