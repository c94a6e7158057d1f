// Pageable words go through one page-locked buffer, which is filled again while it is being copied.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_staging_reused {

inline const char *why =
    "the copy reads the staging buffer when it runs, not when it is asked for. Before the host "
    "fills it again it has to wait for the copy: an event for each of two buffers, in turn.";

inline void run(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const cudaStream_t stream = engines().streams[0];
  const size_t part = part_of(p.n, 8);
  lab::PinnedBuffer<Word> staging(part);
  for (size_t first = 0; first < p.n; first += part) {
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    for (size_t i = 0; i < n; ++i)
      staging[i] = p.h_in[first + i];
    LAB_CHECK(cudaMemcpyAsync(p.d_in.data() + first, staging.data(), bytes, in, stream));
  }
  advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data(), p.d_out.data(), p.bytes(), out, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  p.result = p.pinned_out.data();
}

} // namespace trap_staging_reused
