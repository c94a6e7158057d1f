// A tree of sums as it was in shared memory, with a shuffle put in its place.
#pragma once

#include "problem.hpp"

namespace trap_source_not_there {

inline const char *why =
    "a shuffle reads a register of a lane that takes part in it. The lanes that are read from have "
    "not come: the if sends them past. Let all lanes shuffle, and use what comes where it counts.";

__global__ void sum(const Value *in, unsigned n, Value *out) {
  const unsigned lane = threadIdx.x;
  Value sum = lane < n ? in[lane] : 0;
  for (unsigned offset = 16; offset > 0; offset /= 2)
    if (lane < offset)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    out[0] = sum;
}

inline void run(Scan &p) {
  sum<<<1, 32>>>(p.d_in.data(), static_cast<unsigned>(p.n), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Scan &p) {
  return lab::compare_value("sum", p.d_out.at(0), p.expected[p.n - 1]);
}

} // namespace trap_source_not_there
