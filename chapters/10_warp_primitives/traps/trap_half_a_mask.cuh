// Only n lanes have an element, so "only n lanes are named". But all 32 call.
#pragma once

#include "problem.hpp"

namespace trap_half_a_mask {

inline const char *why =
    "a mask names the lanes that call, not those that have something to say. Here lanes call that "
    "are not in their own mask, and others read from them: undefined. Name all, and hand in 0.";

__global__ void scan(const Value *in, unsigned n, Value *out) {
  const unsigned lane = threadIdx.x;
  Value sum = lane < n ? in[lane] : 0;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const Value left = __shfl_up_sync(0x0000ffffu, sum, offset);
    if (lane >= offset)
      sum += left;
  }
  if (lane < n)
    out[lane] = sum;
}

inline void run(Scan &p) {
  scan<<<1, 32>>>(p.d_in.data(), static_cast<unsigned>(p.n), p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_half_a_mask
