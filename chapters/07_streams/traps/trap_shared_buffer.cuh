// Parts in four streams, and one buffer on the device for all of them.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_shared_buffer {

inline const char *why =
    "each stream is in order, but four streams write one buffer: the next part arrives while this "
    "one is still being read. A buffer for each stream, or an event that says when it is free.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, 8);
  Word *const d_part = p.d_in.data();
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const cudaStream_t stream = engines().streams[k % 4];
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    LAB_CHECK(cudaMemcpyAsync(d_part, p.pinned_in.data() + first, bytes, in, stream));
    advance<<<blocks_for(n), block, 0, stream>>>(d_part, p.d_out.data() + first, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(
        cudaMemcpyAsync(p.pinned_out.data() + first, p.d_out.data() + first, bytes, out, stream));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

} // namespace trap_shared_buffer
