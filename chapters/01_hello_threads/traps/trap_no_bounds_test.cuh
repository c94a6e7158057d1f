// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace trap_no_bounds_test {

__global__ void distances(const float2 *a, const float2 *b, float *distance) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; // nobody asks whether i < n
  distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  const unsigned blocks = ceil_div(p.n, p.block);
  distances<<<blocks, p.block>>>(p.a.data(), p.b.data(), p.distance.data());
  LAB_CHECK_LAUNCH();
}

} // namespace trap_no_bounds_test
