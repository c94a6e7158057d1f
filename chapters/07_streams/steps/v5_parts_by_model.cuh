// Was: eight parts, because eight sounded good.
// Now: as many as a small model of the pipeline says, from times measured beforehand.
// Watch: GB/s, and the time against the longest of the three stages alone.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"
#include "steps/stages.hpp"

namespace v5 {

inline void run(Batch &p, size_t parts) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, parts);
  Engines &e = engines();
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const size_t b = k % 2; // which buffer
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + b * part, *d_out = p.d_out.data() + b * part;
    LAB_CHECK(cudaStreamWaitEvent(e.there, e.computed[b])); // the part before last has been read
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, e.there));
    LAB_CHECK(cudaEventRecord(e.arrived[b], e.there));
    LAB_CHECK(cudaStreamWaitEvent(e.work, e.arrived[b]));
    LAB_CHECK(cudaStreamWaitEvent(e.work, e.returned[b])); // its result has gone home
    advance<<<blocks_for(n), block, 0, e.work>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaEventRecord(e.computed[b], e.work));
    LAB_CHECK(cudaStreamWaitEvent(e.back, e.computed[b]));
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, e.back));
    LAB_CHECK(cudaEventRecord(e.returned[b], e.back));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

inline void run(Batch &p) { run(p, stages_of(p, 1).best_parts()); }

} // namespace v5
