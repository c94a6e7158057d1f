// Was:   the launch had to fit the data: too few threads, and points were left out.
// Now:   each thread takes its point, then steps over all other threads to the next one, as in v1
// but
//        across the whole grid. Any shape of launch is right, <<<1, 1>>> among them.
// Watch: threads at work: as many as the GPU holds at a time, however large n is.
#pragma once

#include "euclidean.cuh"
#include "linear_id.cuh"
#include "problem.hpp"

namespace v5_grid_stride {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned stride = blocks_per_grid() * threads_per_block();
  for (unsigned i = linear_id(); i < n; i += stride)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run_shape(Points &p, dim3 blocks, dim3 block) {
  distances<<<blocks, block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
  LAB_CHECK_LAUNCH();
}

inline void run(Points &p) { run_shape(p, lab::choose_device().resident_blocks(p.block), p.block); }

/// What `run` left must be right, and what launches of very different shapes give must be, too.
inline lab::Verdict check(Points &p) {
  const dim3 shapes[][2] = {
      {1, 1}, {1, 33}, {7, 1}, {dim3(2, 3), dim3(5, 4)}, {dim3(3, 1, 2), dim3(2, 4, 8)}};
  lab::Verdict verdict = p.check();
  for (const auto &[blocks, block] : shapes) {
    if (!verdict.ok)
      break;
    p.prepare();
    run_shape(p, blocks, block);
    verdict = p.check();
  }
  return verdict;
}

} // namespace v5_grid_stride
