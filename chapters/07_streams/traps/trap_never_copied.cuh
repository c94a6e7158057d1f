// Two inputs, x and y: the line that copies x was copied, and changed in one place only.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_never_copied {

inline const char *why =
    "x goes to the device twice, and y never: the kernel reads what lay there before. No call is "
    "wrong, so no error tells. Fill device memory with a pattern while you look for such a thing.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const cudaStream_t stream = engines().streams[0];
  const size_t half = p.n / 2, bytes = half * sizeof(Word);
  const Word *x = p.pinned_in.data(); // y is what follows
  Word *d_x = p.d_in.data(), *d_y = p.d_in.data() + half;
  LAB_CHECK(cudaMemcpyAsync(d_x, x, bytes, in, stream));
  LAB_CHECK(cudaMemcpyAsync(d_x, x, bytes, in, stream)); // d_y, y
  advance<<<blocks_for(half), block, 0, stream>>>(d_x, p.d_out.data(), half, p.steps);
  advance<<<blocks_for(half), block, 0, stream>>>(d_y, p.d_out.data() + half, half, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  p.result = p.pinned_out.data();
}

} // namespace trap_never_copied
