// Was:   the host computes one distance after the other.
// Now:   the same loop inside a kernel. The launch <<<1, 1>>> runs it on one thread of the GPU.
// Watch: threads: 1. The time: far longer than that of the host, whose one thread is faster.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace v0_one_thread {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  distances<<<1, 1>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace v0_one_thread
