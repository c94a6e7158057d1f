#include "demos.hpp"

#include "demo_clocks.cuh"
#include "demo_device.cuh"
#include "demo_hello.cuh"
#include "demo_ids.cuh"
#include "demo_limits.cuh"
#include "demo_memories.cuh"

void add_demos(lab::Ladder<Points> &ladder) {
  ladder.demo("hello", demo_hello::run, "every thread of a 2-D grid says where it is");
  ladder.demo("memories", demo_memories::run, "to the device and back, every call it takes");
  ladder.demo("ids", demo_ids::run, "one number for every thread, in 1, 2 and 3 dimensions");
  ladder.demo("limits", demo_limits::run, "how large blocks and grids may be");
  ladder.demo("device", demo_device::run, "what the device says about itself");
  ladder.demo("clocks", demo_clocks::run, "what the host's clock sees of a kernel, and events");
}
