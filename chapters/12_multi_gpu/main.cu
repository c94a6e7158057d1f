/// @file
/// Chapter 12: several GPUs: each has a vector, and all shall have the sum.

#include "demos/launch_ranks.hpp"
#include "problem.hpp"
#include "steps/peer_copies.cuh"
#include "steps/ring.cuh"
#include "steps/tree.cuh"
#include "steps/v0_through_the_host.cuh"
#include "steps/v1_pinned_at_once.cuh"
#include "steps/v2_one_adds.cuh"
#include "steps/v3_peer_loads.cuh"
#include "steps/v4_each_its_share.cuh"
#include "steps/v5_sixteen_bytes.cuh"
#include "steps/v6_few_blocks.cuh"
#include "steps/v7_copy_engines.cuh"

#include <string>

namespace {

void register_steps(lab::Ladder<Vectors> &ladder) {
  ladder.step("peer_copies", peer_copies::run)
      .check(peer_copies::check)
      .before(hold_long)
      .aside()
      .yardstick();
  ladder.step("v0_through_the_host", v0::run);
  ladder.step("v1_pinned_at_once", v1::run);
  ladder.step("v2_one_adds", v2::run).before(hold_long);
  ladder.step("v3_peer_loads", v3::run).before(hold_long);
  ladder.step("v4_each_its_share", v4::run).before(hold_long);
  ladder.step("v5_sixteen_bytes", v5::run).before(hold_long);
  ladder.step("v6_few_blocks", v6::run).before(hold_long);
  ladder.step("v7_copy_engines", v7::run).before(hold_long);
  ladder.step("ring", ring::run).before(hold_long).aside();
  ladder.step("tree", tree::run).before(hold_long).aside();
}

// "each of 4 devices has n floats, and all shall have their sum"
std::string title() {
  const std::string ranks = std::to_string(devices_of_ranks().size());
  if (ranks_have_devices())
    return "each of " + ranks + " devices has n floats, and all shall have their sum";
  return ranks + " ranks on one device, as no second one can reach it: no link is measured";
}

} // namespace

int main(int argc, char **argv) {
  if (wants_ranks(argc, argv))
    return launch_ranks(argc, argv);
  // The lesson's table is of two, and vectors of a GPU's size for four would take 8 GB here.
  lab::want_devices(lab::being_modelled() ? 2 : 4);
  const std::string text = title();
  lab::Ladder<Vectors> ladder("12_multi_gpu", text.c_str());
  // On a GPU 256 MiB on each device.
  ladder.sizes({.emulator = 1u << 16,
                .gpu = 1u << 26,
                .check = {0, 1, 3, 33, 127, 1025, 100003},
                .largest = 1u << 28});
  ladder.moves(
      [](const Vectors &p) { return bus_bytes(static_cast<double>(p.bytes()), p.ranks()); },
      lab::Ceiling::none);
  ladder.recorded({.timed = {"--n 2^26", "--n 2^24 --l2 warm", "--n 2^20 --l2 warm"}});
  register_steps(ladder);
  register_rival(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
