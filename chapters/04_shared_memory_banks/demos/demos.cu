#include "problem.hpp"

#include "demos/demo_bank_map.cuh"
#include "demos/demo_broadcast.cuh"
#include "demos/demo_one_buffer.cuh"
#include "demos/demo_shared_limit.cuh"
#include "demos/demo_strides.cuh"

void register_demos(lab::Ladder<Transpose> &ladder) {
  ladder.demo("bank_map", demo_bank_map::run, "which word of a tile lies in which bank").counted();
  ladder.demo("strides", demo_strides::run, "32 lanes, 1 to 33 elements apart").counted();
  ladder.demo("broadcast", demo_broadcast::run, "who may share a bank").counted();
  ladder.demo("shared_limit", demo_shared_limit::run, "how much shared memory a block may have");
  ladder.demo("one_buffer", demo_one_buffer::run, "rounds in one array, two barriers each");
}
