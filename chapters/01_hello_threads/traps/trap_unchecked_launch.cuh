// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace trap_unchecked_launch {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  distances<<<1, 2048>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  // LAB_CHECK_LAUNCH() is missing here. The lab would still find the error that the launch left
  // behind, so it is swept away, as a program does that never looks.
  (void)cudaGetLastError();
}

} // namespace trap_unchecked_launch
