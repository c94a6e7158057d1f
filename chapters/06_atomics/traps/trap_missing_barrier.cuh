// v2 without the barrier between counting and handing over.
#pragma once

#include "problem.hpp"

namespace trap_missing_barrier {

inline const char *why =
    "an atomic makes one addition safe; it makes nobody wait. A warp that has counted its bytes "
    "hands the bins over while others still count. What comes later is never handed over.";

__global__ void histogram(const Byte *in, size_t n, unsigned *counts) {
  __shared__ unsigned s_counts[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    s_counts[bin] = 0;
  __syncthreads();

  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&s_counts[in[i]], 1u);

  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(&counts[bin], s_counts[bin]);
}

inline void run(Histogram &p) {
  empty_bins(p);
  histogram<<<1, p.block>>>(p.d_in.data(), p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_missing_barrier
