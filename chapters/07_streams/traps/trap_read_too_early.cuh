// The host reads the result before the copy that brings it is done.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_read_too_early {

inline const char *why =
    "cudaMemcpyAsync says 'asked for', not 'there'. cudaStreamSynchronize, or an event, before the "
    "host reads what comes back.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const cudaStream_t stream = engines().streams[0];
  LAB_CHECK(cudaMemcpyAsync(p.d_in.data(), p.pinned_in.data(), p.bytes(), in, stream));
  advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, stream));
  for (size_t i = 0; i < p.n; ++i)
    p.h_out[i] = p.pinned_out[i];
  LAB_CHECK(cudaStreamSynchronize(stream)); // too late
  p.result = p.h_out.data();
}

} // namespace trap_read_too_early
