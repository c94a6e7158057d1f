// A block of 33 threads, because there are 33 things to do.
#pragma once

#include "problem.hpp"

namespace trap_block_of_33 {

inline const char *why =
    "places are given out by the warp. The 33rd thread takes a second one, in which 31 lanes never "
    "do anything: half of what the multiprocessor could hold. Take a multiple of 32.";

constexpr int threads = 33;

__global__ void add(const unsigned *in, size_t n, float *out) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = static_cast<float>(entry(in[i] & code_mask)) * scale;
}

inline void run(Readings &p) {
  const unsigned blocks = static_cast<unsigned>((p.n + threads - 1) / threads);
  add<<<blocks, threads>>>(p.d_in.data(), p.n, p.d_out.data());
  LAB_CHECK_LAUNCH();
}

// The values are right. What is wrong is how many threads there are at a time.
inline lab::Verdict check(Readings &p) {
  const lab::Verdict values = p.check();
  if (!values.ok)
    return values;
  int odd = 0, even = 0; // blocks on a multiprocessor
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&odd, add, threads, 0));
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&even, add, 64, 0));
  return lab::compare_value("threads that a multiprocessor holds", odd * threads, even * 64);
}

} // namespace trap_block_of_33
