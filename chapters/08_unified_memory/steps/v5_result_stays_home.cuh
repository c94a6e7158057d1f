// Was: c goes to the device with its old content, and comes back: a prefetch to the host is slow.
// Now: advice: c stays on the host, and the device stores to it over the link. Only a and b move.
// Watch: pages sent: those of c move neither there nor back.
#pragma once

#include "problem.hpp"

namespace v5 {

// Once for an allocation, not for each run; needed before the first kernel touches it.
inline void advise_result(VectorSum &p) {
  bring_home(p);
  advise(p.m_c.data(), p.bytes(), cudaMemAdviseSetPreferredLocation, Place::host);
  advise(p.m_c.data(), p.bytes(), cudaMemAdviseSetAccessedBy, Place::device);
}

inline void run(VectorSum &p) {
  prefetch(p.m_a.data(), p.bytes(), Place::device);
  prefetch(p.m_b.data(), p.bytes(), Place::device);
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

} // namespace v5
