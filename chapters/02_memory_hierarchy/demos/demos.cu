#include "problem.hpp"

#include "demos/demo_bandwidth.cuh"
#include "demos/demo_clocks.cuh"
#include "demos/demo_constants.cuh"
#include "demos/demo_filtering.cuh"
#include "demos/demo_ladder_2008.cuh"
#include "demos/demo_latency.cuh"
#include "demos/demo_levels.cuh"
#include "demos/demo_local.cuh"
#include "demos/demo_one_block.cuh"
#include "demos/demo_registers.cuh"
#include "demos/demo_reuse.cuh"
#include "demos/demo_statics.cuh"
#include "demos/demo_textures.cuh"
#include "demos/demo_transfer.cuh"
#include "demos/demo_under_way.cuh"
#include "demos/demo_widths.cuh"

void register_demos(lab::Ladder<SumOfSquares> &ladder) {
  ladder.demo("latency", demo_latency::run, "how long one read takes, in each kind of memory")
      .counted();
  ladder.demo("levels", demo_levels::run, "how much each level gives per second");
  ladder.demo("constants", demo_constants::run, "a constant for all lanes, or one for each")
      .counted();
  ladder.demo("statics", demo_statics::run, "variables that outlive a kernel").counted();
  ladder.demo("local", demo_local::run, "an array of one thread: registers or memory?").counted();
  ladder.demo("registers", demo_registers::run, "more variables than registers: spills");
  ladder.demo("reuse", demo_reuse::run, "each number used by a whole block, and fetched once");
  ladder.demo("textures", demo_textures::run, "an image along rows, down columns, in blocks")
      .counted();
  ladder.demo("filtering", demo_filtering::run, "what a texture makes of its coordinates")
      .counted();
  ladder.demo("clocks", demo_clocks::run, "blocks and bandwidth, by two clocks").counted();
  ladder.demo("one_block", demo_one_block::run, "chunks and turns, in one block");
  ladder.demo("under_way", demo_under_way::run, "one read under way per thread, or several");
  ladder.demo("widths", demo_widths::run, "loads of 32, 64 and 128 bits");
  ladder.demo("ladder_2008", demo_ladder_2008::run, "this ladder as it was launched in 2008");
  ladder.demo("bandwidth", demo_bandwidth::run, "why bytes are dear and additions are not");
  ladder.demo("transfer", demo_transfer::run, "the way to the device, beside the work there")
      .counted();
}
