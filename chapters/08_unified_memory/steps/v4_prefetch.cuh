// Was: pages move one fault at a time, when somebody already waits for them.
// Now: say beforehand what will be needed where: whole vectors move, before anybody waits.
// Watch: faults and pages sent: a prefetch moves each page before anybody waits for it.
#pragma once

#include "problem.hpp"

namespace v4 {

inline void run(VectorSum &p) {
  prefetch(p.m_a.data(), p.bytes(), Place::device);
  prefetch(p.m_b.data(), p.bytes(), Place::device);
  prefetch(p.m_c.data(), p.bytes(), Place::device);
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  prefetch(p.m_c.data(), p.bytes(), Place::host);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

} // namespace v4
