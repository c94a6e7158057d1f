// Was:   nothing yet. Each device has a vector and knows nothing of the others.
// Now:   the host fetches all vectors, adds them up, and sends the sum to every device.
// Watch: host KiB: each device's vector goes to the host, and the sum comes back.
#pragma once

#include "problem.hpp"

namespace v0 {

inline void run(Vectors &p) {
  const cudaMemcpyKind to_host = cudaMemcpyDeviceToHost, to_device = cudaMemcpyHostToDevice;
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpy(p.h_in[rank].data(), p.in[rank].data(), p.bytes(), to_host));
  for (size_t i = 0; i < p.n; ++i) {
    float sum = p.h_in[0][i];
    for (int rank = 1; rank < p.ranks(); ++rank)
      sum += p.h_in[rank][i];
    p.h_sum[i] = sum;
  }
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpy(p.out[rank].data(), p.h_sum.data(), p.bytes(), to_device));
}

} // namespace v0
