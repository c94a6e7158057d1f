// v2 without the loop that sets the shared bins to 0.
#pragma once

#include "problem.hpp"

namespace trap_bins_not_emptied {

inline const char *why =
    "shared memory starts as whatever the block before left in it. Every bin has to be set to 0, "
    "and a barrier has to stand between that and the first count.";

__global__ void leave_something() {
  __shared__ volatile unsigned s_words[bins];
  s_words[threadIdx.x % bins] = 1000;
}

__global__ void histogram(const Byte *in, size_t n, unsigned *counts) {
  __shared__ unsigned s_counts[bins];
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&s_counts[in[i]], 1u);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(&counts[bin], s_counts[bin]);
}

inline void run(Histogram &p) {
  // On a GPU the block may come to any SM; the emulator runs single blocks in one place.
  const int blocks = lab::on_emulator() ? 1 : lab::choose_device().resident_blocks(256);
  leave_something<<<blocks, 256>>>();
  LAB_CHECK_LAUNCH();
  empty_bins(p);
  histogram<<<1, p.block>>>(p.d_in.data(), p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_bins_not_emptied
