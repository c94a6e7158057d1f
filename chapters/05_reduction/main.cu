/// @file
/// Chapter 05: the sum of n integers, from the first idea to the memory's bandwidth.

#include "demos/ways.hpp"
#include "problem.hpp"

namespace {

void register_steps(lab::Ladder<Reduction> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.cpu("cpu_halving", run_cpu_halving).before(copy_input_on_host).check(check_host);
  for (const auto &ways : {ways_of_trees(), ways_of_shares()})
    for (const Way &way : ways)
      ladder.step(way.text, way.run).before(way.before);
  ladder.rival("cub_device_reduce", run_cub)
      .before(prepare_cub)
      .not_observed("the emulator's CUB has its results, not its counts");
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Reduction> ladder("05_reduction", "the sum of n 32-bit integers, modulo 2^32");
  ladder.sizes({.emulator = 1u << 20,
                .gpu = 1u << 28,
                .check = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 1000003}});
  ladder.blocks({.check = {32, 64, 128, 256, 512, 1024}, .timed = 256});
  ladder.moves([](const Reduction &p) { return sizeof(Value) * static_cast<double>(p.n); },
               lab::Ceiling::read);
  ladder.recorded({.timed = {"--n 2^28",
                             "--n 2^22",
                             "--n 2^25",
                             "--n 2^30",
                             "--n 2^22 --l2 warm",
                             "--n 2^25 --l2 warm"},
                   .counted = "--n 100003 --block 256"});
  register_steps(ladder);
  register_traps(ladder);
  register_demos(ladder);
  return ladder.main(argc, argv);
}
