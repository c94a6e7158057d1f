// Was: nothing yet. The words lie in the host's memory, the work is the device's.
// Now: copy all words to the device, work, copy all back: one after the other.
// Watch: GB/s, both directions together. While one of the three is at work, the others are idle.
#pragma once

#include "steps/advance.cuh"

namespace v0 {

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  LAB_CHECK(cudaMemcpy(p.d_in.data(), p.h_in.data(), p.bytes(), in));
  advance<<<blocks_for(p.n), block>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpy(p.h_out.data(), p.d_out.data(), p.bytes(), out));
  p.result = p.h_out.data();
}

} // namespace v0
