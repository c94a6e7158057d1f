// Was: a kernel's last blocks have the device to themselves, and the next one waits for them.
// Now: kernels in two streams, in turn: the blocks of the next one move in where there is room.
// Watch: GB/s: a part costs less, so there can be more of them.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"
#include "steps/stages.hpp"

namespace v6 {

inline void run(Batch &p, size_t parts) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, parts);
  Engines &e = engines();
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const size_t b = k % 2; // which buffer
    const cudaStream_t work = e.streams[2 + b]; // a stream for each buffer's kernels
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + b * part, *d_out = p.d_out.data() + b * part;
    LAB_CHECK(cudaStreamWaitEvent(e.there, e.computed[b])); // the part before last has been read
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, e.there));
    LAB_CHECK(cudaEventRecord(e.arrived[b], e.there));
    LAB_CHECK(cudaStreamWaitEvent(work, e.arrived[b]));
    LAB_CHECK(cudaStreamWaitEvent(work, e.returned[b])); // its result has gone home
    advance<<<blocks_for(n), block, 0, work>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaEventRecord(e.computed[b], work));
    LAB_CHECK(cudaStreamWaitEvent(e.back, e.computed[b]));
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, e.back));
    LAB_CHECK(cudaEventRecord(e.returned[b], e.back));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  p.result = p.pinned_out.data();
}

inline void run(Batch &p) { run(p, stages_of(p, 2).best_parts()); }

} // namespace v6
