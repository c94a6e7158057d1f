// The host prepares its next input where the kernel still reads this one.
#pragma once

#include "problem.hpp"

namespace trap_write_too_early {

inline const char *why =
    "the kernel reads a when it runs, not when it is launched. Managed memory has no second copy "
    "that the host could write meanwhile: wait first, or take two buffers in turn.";

inline void restore(VectorSum &p) {
  for (size_t i = 0; i < p.n; ++i)
    p.m_a.data()[i] = p.h_a[i];
}

inline void run(VectorSum &p) {
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  for (size_t i = 0; i < p.n; ++i)
    p.m_a.data()[i] = 0.0; // the next input
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

} // namespace trap_write_too_early
