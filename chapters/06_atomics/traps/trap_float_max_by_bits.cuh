// "The bits of floats are ordered like ints": those of positive floats are.
#pragma once

#include "problem.hpp"

namespace trap_float_max_by_bits {

inline const char *why =
    "the larger a negative float's magnitude, the larger its bits: as ints, -3 stands above -1. "
    "Take the maximum of ints for positive floats and the minimum of unsigneds for negative ones, "
    "or a compare-and-swap.";

__global__ void largest(float low, float high, float *out) {
  atomicMax(reinterpret_cast<int *>(out), __float_as_int(threadIdx.x == 0 ? low : high));
}

inline void run(Histogram &p) {
  float *d_out = reinterpret_cast<float *>(p.d_bins.data());
  const float lowest = -3.0f;
  LAB_CHECK(cudaMemcpy(d_out, &lowest, sizeof lowest, cudaMemcpyHostToDevice));
  largest<<<1, 2>>>(-2.0f, -1.0f, d_out);
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Histogram &p) {
  float found;
  LAB_CHECK(cudaMemcpy(&found, p.d_bins.data(), sizeof found, cudaMemcpyDeviceToHost));
  return lab::compare_value("largest of -3, -2, -1", found, -1.0f);
}

} // namespace trap_float_max_by_bits
