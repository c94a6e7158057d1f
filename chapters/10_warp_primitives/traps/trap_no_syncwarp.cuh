// The rounds of v0 in a single warp: "a warp runs in step, so it needs no barrier".
#pragma once

#include "problem.hpp"

namespace trap_no_syncwarp {

inline const char *why =
    "since Volta each lane goes its own way, so a lane may write its new sum before its neighbour "
    "has read the old one. Between a write and another lane's read belongs __syncwarp().";

__global__ void scan(const Value *in, unsigned n, Value *out) {
  __shared__ Value s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane < n ? in[lane] : 0;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const Value left = lane >= offset ? s_data[lane - offset] : 0;
    s_data[lane] += left;
  }
  if (lane < n)
    out[lane] = s_data[lane];
}

inline void run(Scan &p) {
  scan<<<1, 32>>>(p.d_in.data(), static_cast<unsigned>(p.n), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_no_syncwarp
