// Was:   one block kept one multiprocessor busy; all others had nothing to do.
// Now:   as many blocks as it takes to give every point a thread of its own. Their number is
//        rounded up, so the last block has threads to spare: the bounds test sends them home.
// Watch: threads: one per point, and more blocks than the GPU holds at a time. The memory is busy.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

namespace v2_thread_per_point {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; // i: [0, gridDim.x * blockDim.x)
  if (i < n)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  if (p.n == 0)
    return; // an empty grid is an error
  const unsigned blocks = ceil_div(p.n, p.block);
  distances<<<blocks, p.block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace v2_thread_per_point
