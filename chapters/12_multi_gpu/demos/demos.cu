#include "problem.hpp"

#include "demos/demo_current.cuh"
#include "demos/demo_devices.cuh"
#include "demos/demo_halo.cuh"
#include "demos/demo_in_a_row.cuh"
#include "demos/demo_links.cuh"
#include "demos/demo_scaling.cuh"
#include "demos/demo_sizes.cuh"

void register_demos(lab::Ladder<Vectors> &ladder) {
  ladder.demo("devices", demo_devices::run, "what is there, and who reaches whom");
  ladder.demo("current", demo_current::run, "which device a call means");
  ladder.demo("links", demo_links::run, "ways from one device to another");
  ladder.demo("sizes", demo_sizes::run, "the sum on all devices, by size")
      .recorded({.counted = false, .initcheck = false});
  ladder.demo("nccl_ops", show_nccl_ops, "NCCL's operations, and who has what afterwards")
      .recorded({.counted = false, .initcheck = false});
  ladder.demo("in_a_row", demo_in_a_row::run, "many small means, each after the other")
      .recorded({.counted = false, .initcheck = false});
  ladder.demo("scaling", demo_scaling::run, "one plate, ever more devices");
  ladder.demo("halo", demo_halo::run, "neighbours tell each other their edges");
}
