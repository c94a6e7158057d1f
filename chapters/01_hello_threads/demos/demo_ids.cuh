#pragma once

#include "ladder/chapter.hpp"
#include "steps/linear_id.cuh"

namespace demo_ids {

/// Counts how often each of n points is visited, by a grid-stride loop.
__global__ void count_visits(unsigned *visits, unsigned n) {
  for (unsigned i = linear_id(); i < n; i += threads_in_launch())
    atomicAdd(&visits[i], 1u);
}

/// A launch in one, two or three dimensions.
struct Shape {
  const char *what;
  dim3 grid;
  dim3 block;

  unsigned threads() const { return grid.x * grid.y * grid.z * block.x * block.y * block.z; }
};

/// True when a launch of this shape visits each of n points exactly once. With as many points as
/// threads it means that every number from 0 to n - 1 belongs to one thread.
inline bool visits_once(const Shape &shape, unsigned n) {
  lab::DeviceBuffer<unsigned> visits(n);
  LAB_CHECK(cudaMemset(visits.data(), 0, visits.bytes()));
  count_visits<<<shape.grid, shape.block>>>(visits.data(), n);
  LAB_CHECK_LAUNCH();
  return lab::compare(visits.download(), std::vector<unsigned>(n, 1u)).ok;
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
  demo.say("%-24s%-13s%-12s%8s %8s %12s\n", "", "", "", "", "each id", "10007 points");
  demo.say("%-24s%-13s%-12s%8s %8s %12s\n", "shape", "grid", "block", "threads", "once", "once");
  for (const Shape &shape : shapes) {
    const bool ids = visits_once(shape, shape.threads());
    const bool points = visits_once(shape, 10007);
    char grid[32], block[32];
    snprintf(grid, sizeof grid, "(%u, %u, %u)", shape.grid.x, shape.grid.y, shape.grid.z);
    snprintf(block, sizeof block, "(%u, %u, %u)", shape.block.x, shape.block.y, shape.block.z);
    demo.say("%-24s%-13s%-12s%8u %8s %12s\n",
             shape.what,
             grid,
             block,
             shape.threads(),
             ids ? "yes" : "NO",
             points ? "yes" : "NO");
    demo.expect(ids, "linear ids number the threads of every shape without gap or repetition");
    demo.expect(points, "a grid-stride loop visits every point exactly once, in every shape");
  }
}

} // namespace demo_ids
