/// @file
/// Chapter 05: the sum of n integers, from the first idea to the memory's bandwidth.

#include "demos/demos.hpp"
#include "demos/ways.hpp"
#include "problem.hpp"
#include "rivals/cub_rival.hpp"
#include "steps/host.hpp"
#include "steps/steps.hpp"

namespace {

void register_steps(lab::Ladder<Reduction> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.cpu("cpu_halving", run_cpu_halving).before(copy_input_on_host).check(check_host);
  register_trees(ladder);
  register_shares(ladder);
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
  ladder.demo("shares_of_v1", show_shares_of_v1, "two changes, one at a time");
  ladder.demo("shares_of_v6", show_shares_of_v6, "the grid, and the loads");
  ladder.demo("blocks_of_128", show_blocks_of_128, "the ladder with other blocks");
  ladder.demo("sum_min_max_mean", show_sum_min_max_mean, "four results, one kernel");
  ladder.demo("rows", show_rows, "a block for each row");
  ladder.demo("float_sum", show_float_sum, "when the sum is large, small terms vanish");
  return ladder.main(argc, argv);
}
