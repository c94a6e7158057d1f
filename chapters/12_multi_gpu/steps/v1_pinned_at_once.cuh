// Was:   pageable memory, and one device after the other: each waits for the copies of all before it.
// Now:   page-locked memory, and all devices at once: each has a link to the host of its own.
// Watch: the time. host KiB stays: the same bytes move, by a faster way.
#pragma once

#include "problem.hpp"

namespace v1 {

inline void run(Vectors &p) {
  const cudaMemcpyKind to_host = cudaMemcpyDeviceToHost, to_device = cudaMemcpyHostToDevice;
  float *const h_in = p.pinned_in.data(); // rank r's vector: from r * n on
  p.team.fork();
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpyAsync(
        h_in + rank * p.n, p.in[rank].data(), p.bytes(), to_host, p.team.stream(rank)));
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaStreamSynchronize(p.team.stream(rank)));
  for (size_t i = 0; i < p.n; ++i) {
    float sum = h_in[i];
    for (int rank = 1; rank < p.ranks(); ++rank)
      sum += h_in[rank * p.n + i];
    p.pinned_sum[i] = sum;
  }
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpyAsync(
        p.out[rank].data(), p.pinned_sum.data(), p.bytes(), to_device, p.team.stream(rank)));
  p.team.join();
}

} // namespace v1
