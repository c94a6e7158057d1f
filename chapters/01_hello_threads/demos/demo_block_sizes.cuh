#pragma once

#include "problem.hpp"
#include "steps/euclidean.cuh"

#include <string>

namespace demo_block_sizes {

__global__ void distances(const float2 *a, const float2 *b, float *distance, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    distance[i] = euclidean(a[i], b[i]);
}

inline void run(lab::Demo &demo) {
  Points p(lab::Case{demo.n_or(demo.timed() ? 1u << 24 : 10007), 0, demo.seed()});
  demo.say(
      "%8s%10s%s\n", "block", "blocks", demo.timed() ? "          ms      GB/s" : "   distances");
  for (unsigned block : {1u, 32u, 64u, 128u, 256u, 512u, 1024u}) {
    const unsigned blocks = ceil_div(p.n, block);
    const auto launch = [&] {
      distances<<<blocks, block>>>(p.a.data(), p.b.data(), p.distance.data(), p.n);
    };
    demo.check(p, launch);
    demo.say("%8u%10u", block, blocks);
    if (!demo.timed()) {
      demo.say("   right\n");
      continue;
    }
    const double ms = lab::measure(launch, {.reps = 11}).median_ms;
    const double gbps = (2.0 * sizeof(float2) + sizeof(float)) * p.n / ms * 1e-6;
    demo.say("%12.4f%10.0f\n", ms, gbps);
    demo.value("block_" + std::to_string(block) + "_ms", ms);
    demo.value("block_" + std::to_string(block) + "_gbps", gbps);
  }
}

} // namespace demo_block_sizes
