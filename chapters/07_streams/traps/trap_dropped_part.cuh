// n / 8 words a part: what is left over belongs to none.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_dropped_part {

inline const char *why = "8 parts of n / 8 words are n words only where 8 divides n. Round the "
                         "part up, and let the last "
                         "one be shorter.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t n = p.n / 8, bytes = n * sizeof(Word);
  for (size_t k = 0; k < 8; ++k) {
    const cudaStream_t stream = engines().streams[k % 4];
    Word *d_in = p.d_in.data() + k * n, *d_out = p.d_out.data() + k * n;
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + k * n, bytes, in, stream));
    advance<<<blocks_for(n), block, 0, stream>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + k * n, d_out, bytes, out, stream));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

} // namespace trap_dropped_part
