// v0 with ++ in place of atomicAdd().
#pragma once

#include "problem.hpp"

namespace trap_plain_increment {

inline const char *why =
    "++ reads, adds and writes. A thread that reads between another's read and write counts from "
    "the same number, and one of the two is lost. Only an atomic makes the three one.";

__global__ void histogram(const Byte *in, size_t n, unsigned *counts) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    ++counts[in[i]];
}

inline void run(Histogram &p) {
  make_all_equal(p); // so that threads meet
  empty_bins(p);
  histogram<<<blocks_for(p.n, p.block), p.block>>>(p.d_in.data(), p.n, p.d_bins.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_plain_increment
