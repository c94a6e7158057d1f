#include "problem.hpp"

#include "demos/demo_advice.cuh"
#include "demos/demo_device.cuh"
#include "demos/demo_discard.cuh"
#include "demos/demo_first_touch.cuh"
#include "demos/demo_more_than_fits.cuh"
#include "demos/demo_passes.cuh"
#include "demos/demo_sparse.cuh"
#include "demos/demo_split.cuh"
#include "demos/demo_while_running.cuh"

void register_demos(lab::Ladder<VectorSum> &ladder) {
  ladder.demo("device", demo_device::run, "what this device can do with the host's memory");
  ladder.demo("first_touch", demo_first_touch::run, "one kernel, its pages elsewhere").counted();
  ladder.demo("advice", demo_advice::run, "what advice changes").counted();
  ladder.demo("discard", demo_discard::run, "pages that are sent without what they hold");
  ladder.demo("passes", demo_passes::run, "how often the data is used decides where it should lie")
      .counted();
  ladder.demo("sparse", demo_sparse::run, "a table of which a kernel touches few pages");
  ladder.demo("split", demo_split::run, "one task, on the host and the device at once");
  ladder.demo(
      "more_than_fits", demo_more_than_fits::run, "more pages than the device has room for");
  ladder.demo("while_running", demo_while_running::run, "the host looks on while a kernel runs");
}
