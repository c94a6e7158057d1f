// A trap: this code is wrong on purpose.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

#include <cmath>

namespace trap_copied_the_wrong_way {

inline std::vector<float> h_distance;

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  distances<<<1, p.block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
  h_distance.assign(p.n, NAN); // poison: no result is NaN
  // The target comes first, as in memcpy. This call is legal, and overwrites the results.
  LAB_CHECK(cudaMemcpy(
      p.distance.data(), h_distance.data(), p.n * sizeof(float), cudaMemcpyHostToDevice));
}

inline lab::Verdict check(Points &p) {
  return lab::compare(h_distance, p.expected, lab::tolerance_for_operations<float>(4));
}

} // namespace trap_copied_the_wrong_way
