// Was: a moves to the device to be read once, before anything else can begin.
// Now: the same advice for all three: nothing moves, the kernel reads and stores over the link.
// Watch: pages sent: none. Zero-copy by another name: compare v2.
#pragma once

#include "problem.hpp"

namespace v7 {

// Once for an allocation, not for each run; needed before the first kernel touches it.
inline void advise_all(VectorSum &p) {
  bring_home(p);
  for (double *vector : {p.m_a.data(), p.m_b.data(), p.m_c.data()}) {
    advise(vector, p.bytes(), cudaMemAdviseSetPreferredLocation, Place::host);
    advise(vector, p.bytes(), cudaMemAdviseSetAccessedBy, Place::device);
  }
}

inline void run(VectorSum &p) {
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block);
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.m_c.data();
}

} // namespace v7
