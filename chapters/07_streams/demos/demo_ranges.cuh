#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

#include <nvtx3/nvToolsExt.h>

#include <string>

namespace demo_ranges {

constexpr size_t parts = 4;

// v3's loop, with a name for each part: a profiler shows the names above the calls inside.
inline void run_named(Batch &p) {
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, parts);
  nvtxRangePushA("all parts");
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    nvtxRangePushA(("part " + std::to_string(k + 1)).c_str());
    const cudaStream_t stream = engines().streams[k % 2];
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + first, *d_out = p.d_out.data() + first;
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, stream));
    advance<<<blocks_for(n), block, 0, stream>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, stream));
    nvtxRangePop();
  }
  nvtxRangePushA("wait");
  LAB_CHECK(cudaDeviceSynchronize());
  nvtxRangePop();
  nvtxRangePop();
  p.result = p.pinned_out.data();
}

inline void run(lab::Demo &demo) {
  Batch p({.n = demo.timed() ? size_t{1} << 22 : size_t{4096}});
  for (int turn = 0; turn < 2; ++turn) // the first one warms up
    demo.check(p, [&] { run_named(p); });
  demo.say("%zu parts, each with a name that a profiler shows\n", parts);
}

} // namespace demo_ranges
