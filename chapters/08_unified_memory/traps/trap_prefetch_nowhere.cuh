// A prefetch whose location was never filled in, and whose answer nobody reads.
#pragma once

#include "problem.hpp"

namespace trap_prefetch_nowhere {

inline const char *why =
    "since CUDA 13 a prefetch takes a cudaMemLocation, a type and a number. With the number alone "
    "the type says 'nowhere': CUDA answers with an error, and only LAB_CHECK would have told.";

inline void run(VectorSum &p) {
#if CUDART_VERSION >= 13000
  cudaMemLocation where = {};
  where.id = lab::choose_device().id; // and the type?
  static_cast<void>(cudaMemPrefetchAsync(p.m_a.data(), p.bytes(), where, 0, nullptr));
#else
  static_cast<void>(cudaMemPrefetchAsync(p.m_a.data(), p.bytes(), cudaInvalidDeviceId, nullptr));
#endif
  static_cast<void>(cudaGetLastError());
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

inline lab::Verdict check(VectorSum &p) {
  return lab::compare_value(
      "where a was sent (-2: nowhere)", last_prefetch(p.m_a.data(), p.bytes()), 0);
}

} // namespace trap_prefetch_nowhere
