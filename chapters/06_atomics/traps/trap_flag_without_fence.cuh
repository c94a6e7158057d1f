// The last block adds up what the others stored. An atomic ticket, and no fence before it.
#pragma once

#include "problem.hpp"

namespace trap_flag_without_fence {

inline const char *why =
    "the ticket is atomic, what it stands for is not: without __threadfence() the ticket may be "
    "seen before the counts that were stored in front of it. A relaxed atomic orders nothing else.";

__global__ void count(const Byte *in, size_t n, unsigned *parts, unsigned *tickets) {
  if (threadIdx.x > 0)
    return;
  unsigned zeros = 0;
  for (size_t i = blockIdx.x; i < n; i += gridDim.x)
    zeros += in[i] < 128;
  parts[blockIdx.x] = zeros;
  if (atomicAdd(tickets, 1u) == gridDim.x - 1) {
    unsigned sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += parts[b];
    parts[gridDim.x] = sum;
  }
}

constexpr unsigned blocks = 64;

inline void run(Histogram &p) {
  p.expected.assign(bins, 0);
  for (Byte byte : p.h_in)
    p.expected[0] += byte < 128;
  empty_bins(p);
  count<<<blocks, 32>>>(p.d_in.data(), p.n, p.d_bins.data(), p.d_bins.data() + bins - 1);
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Histogram &p) {
  return lab::compare_value("bytes below 128", p.d_bins.at(blocks), p.expected[0]);
}

} // namespace trap_flag_without_fence
