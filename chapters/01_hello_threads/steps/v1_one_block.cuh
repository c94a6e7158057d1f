// Was:   one thread did all the work.
// Now:   the threads of one block share the loop: each starts at its own threadIdx.x and steps
//        over the others.
// Watch: threads: 256, all in 1 block, so all on one of the GPU's many multiprocessors.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace v1_one_block {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  distances<<<1, p.block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace v1_one_block
