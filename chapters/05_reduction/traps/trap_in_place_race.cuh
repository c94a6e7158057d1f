// v0 without its barrier: a thread reads its neighbour's sum while the neighbour may still be
// adding to it.
#pragma once

#include "problem.hpp"

namespace trap_in_place_race {

inline const char *why =
    "data[i + stride] is what another thread computes in the round before. Without "
    "__syncthreads() between the rounds nothing says that it is there yet.";

__global__ void reduce(Value *data, size_t n, Value *out) {
  const unsigned tid = threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + tid;

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2)
    if (tid % (2 * stride) == 0 && i + stride < n)
      data[i] += data[i + stride];

  if (tid == 0)
    out[blockIdx.x] = i < n ? data[i] : 0;
}

inline void run(Reduction &p) {
  reduce<<<1, p.block>>>(p.d_scratch.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_in_place_race
