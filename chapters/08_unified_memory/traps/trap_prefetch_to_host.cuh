// A prefetch in front of the kernel, to the wrong place.
#pragma once

#include "problem.hpp"

namespace trap_prefetch_to_host {

inline const char *why =
    "the result is right, so nobody notices: the pages were sent to where they were, and the "
    "kernel fetches them fault by fault. Ask where memory was sent last: "
    "cudaMemRangeGetAttribute().";

inline void run(VectorSum &p) {
  prefetch(p.m_a.data(), p.bytes(), Place::host); // "to the memory where it will be used"
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

inline lab::Verdict check(VectorSum &p) {
  return lab::compare_value(
      "where a was sent (-1: the host)", last_prefetch(p.m_a.data(), p.bytes()), 0);
}

} // namespace trap_prefetch_to_host
