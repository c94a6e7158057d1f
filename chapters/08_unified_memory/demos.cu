#include "demos.hpp"

#include "demo_advice.cuh"
#include "demo_against_copies.cuh"
#include "demo_device.cuh"
#include "demo_first_touch.cuh"
#include "demo_orders.cuh"
#include "demo_passes.cuh"
#include "demo_while_running.cuh"

void register_demos(lab::Ladder<VectorSum> &ladder) {
  ladder.demo("device", demo_device::run, "what this device can do with the host's memory");
  ladder.demo("first_touch", demo_first_touch::run, "one kernel, its pages elsewhere");
  ladder.demo("orders", demo_orders::run, "pages move in the order in which they are touched");
  ladder.demo("advice", demo_advice::run, "what advice changes");
  ladder.demo("passes", demo_passes::run, "how often the data is used decides where it should lie");
  ladder.demo("against_copies", demo_against_copies::run, "managed memory beside explicit copies");
  ladder.demo("while_running", demo_while_running::run, "the host looks on while a kernel runs");
}
