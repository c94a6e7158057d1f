// Copy and kernel in two streams, and nothing that makes one wait for the other.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_missing_event_wait {

inline const char *why =
    "streams know nothing of each other: the kernel may begin before its words have arrived. "
    "cudaEventRecord after the copy, cudaStreamWaitEvent before the kernel.";

inline void run(Batch &p) {
  const Engines &e = engines();
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  LAB_CHECK(cudaMemcpyAsync(p.d_in.data(), p.pinned_in.data(), p.bytes(), in, e.there));
  advance<<<blocks_for(p.n), block, 0, e.work>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, e.work));
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

} // namespace trap_missing_event_wait
