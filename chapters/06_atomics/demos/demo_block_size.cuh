// The same kernels with blocks of other sizes: how many of them a multiprocessor holds.
#pragma once

#include "steps/v3_sixteen_bytes.cuh"
#include "steps/v5_column_per_lane.cuh"
#include "steps/v6_loads_in_flight.cuh"

namespace demo_block_size {

// Blocks that a multiprocessor holds at a time.
template <class Kernel> int blocks_per_multiprocessor(Kernel kernel, int block) {
  int blocks = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
  return blocks;
}

struct Way {
  const char *name;
  void (*run)(Histogram &);
};

inline void run(lab::Demo &demo) {
  const std::vector<Way> ways = {{"v3", v3::run}, {"v5", v5::run}, {"v6", v6::run}};
  Histogram p(
      {.n = demo.n_or(demo.timed() ? 1u << 30 : 100003), .block = 512, .seed = demo.seed()});
  const lab::Device &device = lab::choose_device();
  demo.say("%10s %10s %10s %10s%s\n",
           "threads",
           "asked for",
           "v3 fits",
           "v5 fits",
           demo.timed() ? "         v3         v5         v6" : "");
  for (int block = 128; block <= 1024; block *= 2) {
    p.block = block;
    const int asked = device.resident_blocks(block) / device.sm_count;
    const int fits3 = blocks_per_multiprocessor(v3::histogram, block);
    const int fits5 = blocks_per_multiprocessor(v5::histogram, block);
    const std::vector<double> times = lab::check_and_time(demo, p, ways);
    demo.say("%10d %10d %10d %10d", block, asked, fits3, fits5);
    const std::string suffix = "_" + std::to_string(block);
    for (size_t i = 0; i < times.size(); ++i) {
      demo.say(" %7.4f ms", times[i]);
      demo.value(ways[i].name + suffix, times[i]);
    }
    demo.say("\n");
    demo.value("asked" + suffix, asked);
    demo.value("fits_v3" + suffix, fits3);
    demo.value("fits_v5" + suffix, fits5);
  }
}

} // namespace demo_block_size
