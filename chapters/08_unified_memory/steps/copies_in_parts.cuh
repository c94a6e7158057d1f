// v1 in parts and two streams (chapter 07): the same overlap, with explicit copies.
#pragma once

#include "problem.hpp"
#include "steps/two_streams.hpp"

namespace copies_in_parts {

// Asks for everything, and waits for nothing.
inline void enqueue(VectorSum &p) {
  TwoStreams &streams = two_streams();
  const size_t part = part_of(p.n);
  for (size_t first = 0; first < p.n; first += part) {
    const size_t n = p.n - first < part ? p.n - first : part;
    const size_t bytes = n * sizeof(double);
    double *a = p.d_a.data() + first, *b = p.d_b.data() + first, *c = p.d_c.data() + first;
    const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
    LAB_CHECK(cudaMemcpyAsync(a, p.pinned_a.data() + first, bytes, in, streams.there));
    LAB_CHECK(cudaMemcpyAsync(b, p.pinned_b.data() + first, bytes, in, streams.there));
    LAB_CHECK(cudaEventRecord(streams.come, streams.there));
    LAB_CHECK(cudaStreamWaitEvent(streams.back, streams.come, 0));
    add(a, b, c, n, p.block, streams.back);
    LAB_CHECK(cudaMemcpyAsync(p.pinned_c.data() + first, c, bytes, out, streams.back));
  }
}

inline void run(VectorSum &p) {
  enqueue(p);
  LAB_CHECK(cudaStreamSynchronize(two_streams().back));
  p.result = p.pinned_c.data();
}

} // namespace copies_in_parts
