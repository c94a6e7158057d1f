// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace trap_dropped_tail {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  const unsigned blocks = p.n / p.block; // rounds down: the last points get no thread
  distances<<<blocks, p.block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace trap_dropped_tail
