// v3 without the synchronisation: the host reads c while the kernel may not have begun.
#pragma once

#include "problem.hpp"

namespace trap_no_synchronise {

inline const char *why =
    "a launch returns at once. A copy waits for the kernel before it; with managed memory there is "
    "no copy, and nothing waits unless you say cudaDeviceSynchronize().";

inline void run(VectorSum &p) {
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  for (size_t i = 0; i < p.n; ++i)
    p.h_c[i] = p.m_c.data()[i];
  LAB_CHECK(cudaDeviceSynchronize()); // too late
  p.result = p.h_c.data();
}

} // namespace trap_no_synchronise
