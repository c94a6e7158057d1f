// copy_float4 that rounds its count up, so that no element is left over.
#pragma once

#include "problem.hpp"

namespace trap_float4_past_the_end {

inline const char *why =
    "the test says that the first of four elements is inside, and all four are moved. Round the "
    "number of float4 down, and move the 0 to 3 elements after the last one by one.";

__global__ void copy(const float *in, float *out, size_t n) {
  const size_t i = threadIdx.x;
  if (4 * i < n)
    reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

inline void run(Matrix &p) {
  copy<<<1, 32>>>(p.d_in.data(), p.d_out.data(), p.elements());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_float4_past_the_end
