// The four shuffles, in parts of 8 lanes.
#pragma once

#include "problem.hpp"

namespace demo_shuffles {

constexpr unsigned width = 8; // lanes of a part: a power of two, at most 32
constexpr unsigned kinds = 4;
constexpr unsigned all_named = 0xffffffffu;

// All lanes take part, so all are named.
__global__ void shuffle(const unsigned *in, unsigned *out) {
  const unsigned lane = threadIdx.x;
  const unsigned mine = in[lane];
  out[lane] = __shfl_sync(0xffffffffu, mine, 3, width); // lane 3 of my part
  out[32 + lane] = __shfl_up_sync(0xffffffffu, mine, 1, width); // one to the left
  out[64 + lane] = __shfl_down_sync(0xffffffffu, mine, 2, width); // two to the right
  out[96 + lane] = __shfl_xor_sync(0xffffffffu, mine, 5, width); // where bits 0 and 2 differ
}

// Each asks for a lane that is not in its part, or not there at all.
__global__ void shuffle_beyond(const unsigned *in, unsigned *out) {
  const unsigned lane = threadIdx.x;
  const unsigned mine = in[lane];
  out[lane] = __shfl_sync(all_named, mine, 11, width); // 11 modulo 8: lane 3 of my part
  out[32 + lane] = __shfl_up_sync(all_named, mine, 9, width); // my own
  out[64 + lane] = __shfl_down_sync(all_named, mine, 9, width); // my own
  out[96 + lane] = __shfl_xor_sync(all_named, mine, 12, width); // of an earlier part; else my own
}

inline void show(lab::Demo &demo, const char *what, const unsigned *values) {
  demo.say("%-27s", what);
  for (unsigned lane = 0; lane < 2 * width; ++lane)
    demo.say("%s%3u", lane == width ? "  |" : "", values[lane]);
  demo.say("\n");
}

inline void run_beyond(lab::Demo &demo) {
  std::vector<unsigned> h_in(32), expected(32 * kinds);
  for (unsigned lane = 0; lane < 32; ++lane) {
    h_in[lane] = 10 * (lane / width) + 10 + lane % width;
    expected[32 + lane] = expected[64 + lane] = h_in[lane];
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned first = lane / width * width;
    expected[lane] = h_in[first + 11 % width];
    expected[96 + lane] = h_in[(lane ^ 12) < first + width ? lane ^ 12 : lane];
  }
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(32 * kinds);
  lab::poison(d_out);
  shuffle_beyond<<<1, 32>>>(d_in.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> out = d_out.download();
  demo.expect(lab::compare(out, expected));
  show(demo, "its value", h_in.data());
  show(demo, "__shfl_sync(..., 11, 8)", out.data());
  show(demo, "__shfl_up_sync(..., 9, 8)", out.data() + 32);
  show(demo, "__shfl_down_sync(..., 9, 8)", out.data() + 64);
  show(demo, "__shfl_xor_sync(..., 12, 8)", out.data() + 96);
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
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(32 * kinds);
  lab::poison(d_out);
  shuffle<<<1, 32>>>(d_in.data(), d_out.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> out = d_out.download();
  demo.expect(lab::compare(out, expected));

  std::vector<unsigned> lanes(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes[lane] = lane;
  show(demo, "lane", lanes.data());
  show(demo, "its value", h_in.data());
  show(demo, "__shfl_sync(..., 3, 8)", out.data());
  show(demo, "__shfl_up_sync(..., 1, 8)", out.data() + 32);
  show(demo, "__shfl_down_sync(..., 2, 8)", out.data() + 64);
  show(demo, "__shfl_xor_sync(..., 5, 8)", out.data() + 96);
}

} // namespace demo_shuffles
