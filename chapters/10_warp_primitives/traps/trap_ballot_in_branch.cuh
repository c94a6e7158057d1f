// Even numbers to the front, odd ones after them; each side asks how many even ones there are.
#pragma once

#include "problem.hpp"

namespace trap_ballot_in_branch {

inline const char *why =
    "in a branch __activemask() names the lanes of that branch, so they vote among themselves. The "
    "odd ones learn of no even lane and write over the front. Vote first, with all lanes; branch "
    "then.";

__global__ void even_first(const Value *in, unsigned n, Value *out) {
  const unsigned lane = threadIdx.x;
  if (lane >= n)
    return;
  const Value mine = in[lane];
  const unsigned left = (1u << lane) - 1; // the lanes before this one
  if (mine % 2 == 0) {
    const unsigned even = __ballot_sync(__activemask(), mine % 2 == 0);
    out[__popc(even & left)] = mine;
  } else {
    const unsigned even = __ballot_sync(__activemask(), mine % 2 == 0);
    out[__popc(even) + __popc(~even & left)] = mine;
  }
}

inline void run(Scan &p) {
  p.expected.clear();
  for (Value parity = 0; parity < 2; ++parity)
    for (Value value : p.h_in)
      if (value % 2 == parity)
        p.expected.push_back(value);
  even_first<<<1, 32>>>(p.d_in.data(), static_cast<unsigned>(p.n), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_ballot_in_branch
