/// @file
/// Chapter 10: what a warp can do by itself, seen in the scan of n integers.

#include "demos/demo_compaction.cuh"
#include "demos/demo_grid_sync.cuh"
#include "demos/demo_look_back.cuh"
#include "demos/demo_shares.cuh"
#include "demos/demo_tree.cuh"
#include "problem.hpp"
#include "steps/v0_hillis_steele.cuh"
#include "steps/v1_work_efficient.cuh"
#include "steps/v2_warp_shuffle.cuh"
#include "steps/v3_reduce_then_scan.cuh"
#include "steps/v4_look_back.cuh"
#include "steps/v5_warp_looks_back.cuh"
#include "steps/v6_sixteen_bytes.cuh"
#include "steps/v7_block_looks_back.cuh"
#include "steps/v8_tell_first.cuh"

namespace {

void run_cpu_loop(Scan &p) { scan_loop(p.h_in, p.host_result); }

lab::Verdict check_host(Scan &p) { return lab::compare(p.host_result, p.expected); }

void register_steps(lab::Ladder<Scan> &ladder) {
  ladder.cpu("cpu_loop", run_cpu_loop).check(check_host);
  ladder.step("v0_hillis_steele", v0::run);
  ladder.step("v1_work_efficient", v1::run);
  ladder.step("v2_warp_shuffle", v2::run);
  ladder.step("v3_reduce_then_scan", v3::run);
  // Tiles that look back at one another do so another number of times each time: one tile does not.
  const lab::RecordedPart one_tile{.options = "--n 251 --block 256"};
  ladder.step("v4_look_back", v4::run).recorded(one_tile);
  ladder.step("v5_warp_looks_back", v5::run).recorded(one_tile);
  ladder.step("v6_sixteen_bytes", v6::run).recorded(one_tile);
  ladder.step("v7_block_looks_back", v7::run).timed_with(1024).recorded(one_tile);
  ladder.step("v8_tell_first", v8::run).timed_with(1024).recorded(one_tile);
  ladder.rival("cub_device_scan", run_cub)
      .before(allocate_for_cub)
      .not_observed("the emulator's CUB has its results, not its counts");
}

} // namespace

int main(int argc, char **argv) {
  lab::Ladder<Scan> ladder("10_warp_primitives", "the sums of the first 1, 2, 3 … n integers");
  ladder.sizes({.emulator = 1u << 18,
                .gpu = 1u << 28,
                .check = {0, 1, 31, 33, 1023, 1025, 32771, 100003},
                .largest = 1ull << 31});
  ladder.blocks({.check = {32, 64, 128, 256, 512, 1024}, .timed = 256});
  ladder.moves([](const Scan &p) { return 2.0 * sizeof(Value) * static_cast<double>(p.n); },
               lab::Ceiling::copy);
  ladder.recorded({.timed = {"--n 2^28", "--n 2^25", "--n 2^22", "--n 33554393"},
                   .counted = "--n 100003 --block 256"});
  register_steps(ladder);
  register_traps(ladder);
  register_demos(ladder);
  ladder.demo("look_back", demo_look_back::run, "how far a tile has to look");
  ladder.demo("tree", demo_tree::run, "why v1 is slower than v0, and v3 than v2");
  ladder.demo("shares", demo_shares::run, "what each change of v6 and v7 brings");
  ladder.demo("compaction", demo_compaction::run, "keep some of them, in their order");
  ladder.demo("grid_sync", demo_grid_sync::run, "a barrier for the whole grid");
  return ladder.main(argc, argv);
}
