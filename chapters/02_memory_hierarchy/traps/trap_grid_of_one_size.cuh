// v4 without its loop: the grid that once was large enough.
#pragma once

#include "problem.hpp"

#include <utility>

namespace trap_grid_of_one_size {

inline const char *why =
    "32 blocks of 256 threads, one int each, were enough for the input this was written for. "
    "Element "
    "8192 has no thread. Compute the grid from n, or loop: then any grid is large enough.";

__global__ void sum_of_squares(const int *in, size_t n, Sum *partials) {
  const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  partials[thread] = thread < n ? square(in[thread]) : 0;
}

inline void run(SumOfSquares &p) {
  const unsigned blocks = 32, threads = 256;
  lab::DeviceBuffer<Sum> d_partials(blocks * threads);
  sum_of_squares<<<blocks, threads>>>(p.d_in.data(), p.n, d_partials.data());
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDeviceSynchronize());
  p.d_partials = std::move(d_partials);
  p.partials = blocks * threads;
}

} // namespace trap_grid_of_one_size
