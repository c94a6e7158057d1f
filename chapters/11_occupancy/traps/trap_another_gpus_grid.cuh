// A grid that was right on a V100: two blocks of 1024 threads for each of its 80 multiprocessors.
#pragma once

#include "problem.hpp"

namespace trap_another_gpus_grid {

inline const char *why =
    "the values are right, and part of the device has nothing to do. Ask the device: "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor() times its multiprocessors.";

constexpr int blocks = 2 * 80, threads = 1024;

__global__ void calibrate(const unsigned *in, size_t n, float *out) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = static_cast<float>(entry(in[i] & code_mask)) * scale;
}

inline void run(Readings &p) {
  calibrate<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

inline lab::Verdict check(Readings &p) {
  const lab::Verdict values = p.check();
  if (!values.ok)
    return values;
  int per_sm = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, calibrate, threads, 0));
  return lab::compare_value("blocks at work at a time, of those that the device holds",
                            blocks,
                            per_sm * lab::choose_device().sm_count);
}

} // namespace trap_another_gpus_grid
