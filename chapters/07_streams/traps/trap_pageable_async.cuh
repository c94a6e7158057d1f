// An "asynchronous" copy to memory that is not page-locked.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_pageable_async {

inline const char *why =
    "the result is right, and the host stood still until it was there: a copy to pageable memory "
    "returns when it is done, whatever its name says. Page-locked memory, or nothing overlaps.";

inline int waited; // 1: when the copy had been asked for, all was done already

inline void run(Batch &p) {
  const cudaStream_t stream = engines().streams[0];
  LAB_CHECK(cudaMemcpyAsync(
      p.d_in.data(), p.pinned_in.data(), p.bytes(), cudaMemcpyHostToDevice, stream));
  advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), p.d_out.data(), p.n, p.steps);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(
      cudaMemcpyAsync(p.h_out.data(), p.d_out.data(), p.bytes(), cudaMemcpyDeviceToHost, stream));
  waited = cudaStreamQuery(stream) == cudaSuccess;
  LAB_CHECK(cudaStreamSynchronize(stream));
  p.result = p.h_out.data();
}

inline lab::Verdict check(Batch &p) {
  const lab::Verdict right = p.check();
  return right.ok ? lab::compare_value("the host waited (1: yes)", waited, 0) : right;
}

} // namespace trap_pageable_async
