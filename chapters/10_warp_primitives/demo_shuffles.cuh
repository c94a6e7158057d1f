// The four shuffles, in parts of 8 lanes.
#pragma once

#include "problem.hpp"

namespace demo_shuffles {

constexpr unsigned width = 8; // lanes of a part: a power of two, at most 32
constexpr unsigned kinds = 4;

// All lanes take part, so all are named. A lane that would read beyond its part reads itself.
__global__ void shuffle(const unsigned *in, unsigned *out) {
  const unsigned lane = threadIdx.x;
  const unsigned mine = in[lane];
  out[lane] = __shfl_sync(0xffffffffu, mine, 3, width); // lane 3 of my part
  out[32 + lane] = __shfl_up_sync(0xffffffffu, mine, 1, width); // one to the left
  out[64 + lane] = __shfl_down_sync(0xffffffffu, mine, 2, width); // two to the right
  out[96 + lane] = __shfl_xor_sync(0xffffffffu, mine, 5, width); // where bits 0 and 2 differ
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> h_in(32), expected(32 * kinds);
  for (unsigned lane = 0; lane < 32; ++lane)
    h_in[lane] = 10 * (lane / width) + 10 + lane % width;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned first = lane / width * width, place = lane % width;
    expected[lane] = h_in[first + 3];
    expected[32 + lane] = h_in[place >= 1 ? lane - 1 : lane];
    expected[64 + lane] = h_in[place + 2 < width ? lane + 2 : lane];
    expected[96 + lane] = h_in[first + (place ^ 5)];
  }
  lab::DeviceBuffer<unsigned> d_in(32), d_out(32 * kinds);
  d_in.upload(h_in);
  lab::poison(d_out);
  shuffle<<<1, 32>>>(d_in.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> out = d_out.download();
  demo.expect(lab::compare(out, expected));

  const auto row = [&](const char *what, const unsigned *values) {
    demo.say("%-27s", what);
    for (unsigned lane = 0; lane < 2 * width; ++lane)
      demo.say("%s%3u", lane == width ? "  |" : "", values[lane]);
    demo.say("\n");
  };
  std::vector<unsigned> lanes(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes[lane] = lane;
  row("lane", lanes.data());
  row("its value", h_in.data());
  row("__shfl_sync(…, 3, 8)", out.data());
  row("__shfl_up_sync(…, 1, 8)", out.data() + 32);
  row("__shfl_down_sync(…, 2, 8)", out.data() + 64);
  row("__shfl_xor_sync(…, 5, 8)", out.data() + 96);
}

} // namespace demo_shuffles
