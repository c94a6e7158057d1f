#include "problem.hpp"

#include "demos/demo_block_sizes.cuh"
#include "demos/demo_clocks.cuh"
#include "demos/demo_device.cuh"
#include "demos/demo_divergence.cuh"
#include "demos/demo_hello.cuh"
#include "demos/demo_ids.cuh"
#include "demos/demo_limits.cuh"
#include "demos/demo_memories.cuh"
#include "demos/demo_rounding.cuh"
#include "demos/demo_warps.cuh"

void add_demos(lab::Ladder<Points> &ladder) {
  ladder.demo("hello", demo_hello::run, "every thread of a 2-D grid says where it is");
  ladder.demo("memories", demo_memories::run, "to the device and back, every call it takes");
  ladder.demo("ids", demo_ids::run, "one number for every thread, in 1, 2 and 3 dimensions");
  ladder.demo("warps", demo_warps::run, "which 32 threads of a block form a warp");
  ladder.demo("limits", demo_limits::run, "how large blocks and grids may be");
  ladder.demo("device", demo_device::run, "what the device says about itself");
  ladder.demo("block_sizes", demo_block_sizes::run, "v2 in blocks of 1 to 1024 threads");
  ladder.demo("divergence", demo_divergence::run, "lanes that go different ways");
  ladder.demo("rounding", demo_rounding::run, "the same bits as on the host?");
  ladder.demo("clocks", demo_clocks::run, "what the host's clock sees of a kernel, and events");
}
