#pragma once

#include "lab/lab.hpp"
#include "linear_id.cuh"

namespace demo_ids {

/// Counts how many threads carry each number; `visits` has one count for every thread.
__global__ void count_ids(unsigned *visits, unsigned threads) {
  const unsigned id = linear_id();
  if (id < threads)
    atomicAdd(&visits[id], 1u);
}

/// A launch in one, two or three dimensions.
struct Shape {
  const char *what;
  dim3 grid;
  dim3 block;

  unsigned threads() const { return grid.x * grid.y * grid.z * block.x * block.y * block.z; }
};

/// True when every number from 0 to threads - 1 belongs to exactly one thread.
inline bool numbers_each_thread_once(const Shape &shape) {
  lab::DeviceBuffer<unsigned> visits(shape.threads());
  LAB_CHECK(cudaMemset(visits.data(), 0, visits.bytes()));
  count_ids<<<shape.grid, shape.block>>>(visits.data(), shape.threads());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> once(shape.threads(), 1u);
  return lab::compare(visits.download(), once).ok;
}

inline void run(lab::Demo &demo) {
  const Shape shapes[] = {
      {"1-D", dim3(4), dim3(8)},
      {"2-D", dim3(3, 2), dim3(5, 4)},
      {"3-D", dim3(2, 3, 2), dim3(4, 2, 3)},
      {"1-D grid of 3-D blocks", dim3(7), dim3(8, 8, 16)},
      {"3-D grid of 1-D blocks", dim3(5, 4, 3), dim3(33)},
      {"one thread", dim3(1), dim3(1)},
  };
  demo.say("%-24s%-14s%-14s%8s  %s\n", "shape", "grid", "block", "threads", "each number once");
  for (const Shape &shape : shapes) {
    const bool right = numbers_each_thread_once(shape);
    char grid[32], block[32];
    snprintf(grid, sizeof grid, "(%u, %u, %u)", shape.grid.x, shape.grid.y, shape.grid.z);
    snprintf(block, sizeof block, "(%u, %u, %u)", shape.block.x, shape.block.y, shape.block.z);
    demo.say(
        "%-24s%-14s%-14s%8u  %s\n", shape.what, grid, block, shape.threads(), right ? "yes" : "NO");
    demo.expect(right, "linear ids number the threads of every shape without gap or repetition");
  }
}

} // namespace demo_ids
