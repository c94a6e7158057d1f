// Was:   the launch had to fit the data: with too few threads, points were left out.
// Now:   each thread takes its point, then steps over all other threads to the next one, as in v1
//        but across the whole grid. Any shape of launch is right, <<<1, 1>>> among them.
// Watch: threads: as many as the GPU holds at a time, however large n is.
#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"
#include "steps/linear_id.cuh"

namespace v5_grid_stride {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  for (unsigned i = linear_id(); i < n; i += threads_in_launch())
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(Points &p) {
  const unsigned blocks = lab::choose_device().resident_blocks(p.block);
  distances<<<blocks, p.block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

} // namespace v5_grid_stride
