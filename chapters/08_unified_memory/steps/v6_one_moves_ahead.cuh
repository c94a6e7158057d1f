// Was: a and b move first, then c comes home: the link is busy in one direction at a time.
// Now: b stays home like c, and the kernel fetches it while it stores c. Only a is sent ahead.
// Watch: pages sent, and GB/s: the link is busy in both directions.
#pragma once

#include "problem.hpp"

namespace v6 {

// Once for an allocation, not for each run; needed before the first kernel touches it.
inline void advise_b_and_result(VectorSum &p) {
  bring_home(p);
  for (double *vector : {p.m_b.data(), p.m_c.data()}) {
    advise(vector, p.bytes(), cudaMemAdviseSetPreferredLocation, Place::host);
    advise(vector, p.bytes(), cudaMemAdviseSetAccessedBy, Place::device);
  }
}

inline void run(VectorSum &p) {
  prefetch(p.m_a.data(), p.bytes(), Place::device);
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

} // namespace v6
