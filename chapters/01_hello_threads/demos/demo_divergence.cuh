#pragma once

#include "ladder/chapter.hpp"

#include <string>
#include <vector>

namespace demo_divergence {

inline constexpr int steps = 1024;

// There are `ways` ways to compute, and each thread goes one of them. It is told by its number in
// its warp, so that the lanes of a warp go different ways, or by its warp's number.
__global__ void take_ways(float *x, unsigned ways, bool by_lane) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned mine = (by_lane ? lane : warp) % ways;
  float value = x[i];
  for (unsigned way = 0; way < ways; ++way)
    if (way == mine) { // a warp passes over what none of its lanes wants
#pragma unroll 16
      for (int step = 0; step < steps; ++step)
        value = 0.5f * value + static_cast<float>(way);
      x[i] = value;
    }
}

inline float on_host(float value, unsigned way) {
  for (int step = 0; step < steps; ++step)
    value = 0.5f * value + static_cast<float>(way);
  return value;
}

/// Launches once and checks; gives the milliseconds where they mean something.
inline double
one_way(lab::Demo &demo, unsigned blocks, unsigned block, unsigned ways, bool by_lane) {
  std::vector<float> h_x(blocks * block, 1.0f), expected(h_x.size());
  for (unsigned i = 0; i < expected.size(); ++i)
    expected[i] = on_host(1.0f, (by_lane ? i % 32 : i % block / 32) % ways);
  lab::DeviceBuffer<float> d_x(h_x);
  take_ways<<<blocks, block>>>(d_x.data(), ways, by_lane);
  LAB_CHECK_LAUNCH();
  demo.expect(lab::compare(d_x.download(), expected));
  if (!demo.timed())
    return 0.0;
  return lab::measure([&] { take_ways<<<blocks, block>>>(d_x.data(), ways, by_lane); }).median_ms;
}

inline void run(lab::Demo &demo) {
  const unsigned block = 1024;
  const unsigned blocks = demo.timed() ? lab::choose_device().resident_blocks(block) : 1;
  demo.say("%6s%22s%22s\n", "ways", "chosen by lane", "chosen by warp");
  double first = 0.0, last = 0.0, last_by_warp = 0.0;
  for (unsigned ways = 1; ways <= 32; ways *= 2) {
    const double by_lane = one_way(demo, blocks, block, ways, true);
    const double by_warp = one_way(demo, blocks, block, ways, false);
    if (!demo.timed()) {
      demo.say(
          "%6u%13u %s%22s\n", ways, 32 / ways, ways == 32 ? "lane    " : "lanes   ", "32 lanes");
      continue;
    }
    demo.say("%6u%19.4f ms%19.4f ms\n", ways, by_lane, by_warp);
    demo.value("by_lane_" + std::to_string(ways) + "_ms", by_lane);
    demo.value("by_warp_" + std::to_string(ways) + "_ms", by_warp);
    first = ways == 1 ? by_lane : first;
    last = by_lane;
    last_by_warp = by_warp;
  }
  if (!demo.timed())
    demo.say("\nlanes: how many of a warp's 32 go a way together (./tutor observe counts them)\n");
  else
    demo.expect(last > 16.0 * first && last_by_warp < 4.0 * first,
                "32 ways in one warp take far longer than one; in 32 warps they don't");
}

} // namespace demo_divergence
