// The result is copied to the device instead of from it.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_wrong_direction {

inline const char *why = "the target comes first. Both calls are legal, so no error tells: the old "
                         "content of the host's "
                         "memory went to the device, and the result was overwritten there.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice;
  const cudaStream_t stream = engines().streams[0];
  LAB_CHECK(cudaMemcpyAsync(p.d_in.data(), p.pinned_in.data(), p.bytes(), in, stream));
  advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.d_out.data(), p.pinned_out.data(), p.bytes(), in, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  p.result = p.pinned_out.data();
}

} // namespace trap_wrong_direction
