// __launch_bounds__ that asks for four blocks of a kernel which needs the registers of two.
#pragma once

#include "demos/weighted.cuh"
#include "problem.hpp"

namespace trap_bound_too_tight {

inline const char *why =
    "the compiler keeps its promise: 64 registers per thread. What no longer fits it writes to "
    "local memory and reads it again, in every turn of the loop. Look at what ptxas says "
    "(-Xptxas -v: spill stores), or at cudaFuncGetAttributes(): localSizeBytes.";

constexpr int threads = 256;
constexpr auto kernel = weighted<100, threads, 4>;

inline void run(Readings &) {}

inline lab::Verdict check(Readings &) {
  const cudaFuncAttributes attributes = attributes_of(reinterpret_cast<const void *>(kernel));
  return lab::compare_value(
      "bytes of local memory per thread", static_cast<int>(attributes.localSizeBytes), 0);
}

} // namespace trap_bound_too_tight
