// Checks shuffle_sum.cu: by registers, with one barrier, for any number of warps.
#include "block_sums.hpp"

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const BlockSums run = run_block_sum(n, block);
  const auto in_first_warp = [&](int i) { return i % run.per_block < 32; };
  checker::diagnose("first_warp_only",
                    run.are_instead(run.sums_of(in_first_warp)),
                    run.what + ": this is the sum of each block's first warp");
  run.expect_right();
  return run.seen;
}

} // namespace

TEST_CASE("every size, in blocks of 128 threads") {
  for (int n : checker::sizes())
    check(n, 128);
}

TEST_CASE("any number of warps") {
  for (int block : {32, 64, 96, 320, 992, 1024})
    check(1500, block);
}

TEST_CASE("registers, and one barrier") {
  const auto seen = check(1024, 1024);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          1.0,
                          "too_many_barriers",
                          "one barrier is needed: between the warps' sums being written and read");
  checker::expect_at_most(
      "shared_store.requests_per_block",
      static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests),
      32.0,
      "too_much_shared",
      "32 warps leave one sum each. Everything else stays in registers");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_at_least("meetings_per_warp",
                           checker::meetings_per_warp(*seen),
                           1.0,
                           "no_shuffles",
                           "the lanes of a warp have to hand each other their sums, in registers");
}
