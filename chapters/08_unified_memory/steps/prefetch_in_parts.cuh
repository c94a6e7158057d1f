// v5 in parts: while a kernel stores c of one part at home, a and b of the next come to the device.
#pragma once

#include "problem.hpp"
#include "steps/two_streams.hpp"

namespace prefetch_in_parts {

inline void run(VectorSum &p) {
  TwoStreams &streams = two_streams();
  const size_t part = part_of(p.n);
  for (size_t first = 0; first < p.n; first += part) {
    const size_t n = p.n - first < part ? p.n - first : part;
    const size_t bytes = n * sizeof(double);
    double *a = p.m_a.data() + first, *b = p.m_b.data() + first, *c = p.m_c.data() + first;
    prefetch(a, bytes, Place::device, streams.there);
    prefetch(b, bytes, Place::device, streams.there);
    LAB_CHECK(cudaEventRecord(streams.come, streams.there));
    LAB_CHECK(cudaStreamWaitEvent(streams.back, streams.come, 0));
    add(a, b, c, n, p.block, streams.back);
  }
  LAB_CHECK(cudaStreamSynchronize(streams.back));
  p.result = p.m_c.data();
}

} // namespace prefetch_in_parts
