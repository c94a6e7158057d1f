// Checks first_add.cu: two elements a thread, any tail, neighbours beside neighbours.
#include "block_sums.hpp"

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const BlockSums run = run_block_sum(n, block, 2);
  const auto is_first = [&](int i) { return i % run.per_block < block; };
  checker::diagnose("second_half_missing",
                    run.are_instead(run.sums_of(is_first)),
                    run.what + ": each block has left out the second half of its elements");
  const auto has_partner = [&](int i) { return (is_first(i) ? i + block : i - block) < n; };
  checker::diagnose("tail_dropped",
                    run.are_instead(run.sums_of(has_partner)),
                    run.what + ": where a thread has a first element and no second one, its first "
                               "is missing");
  run.expect_right();
  return run.seen;
}

} // namespace

TEST_CASE("every size, in blocks of 128 threads") {
  for (int n : checker::sizes())
    check(n, 128);
}

TEST_CASE("every size of block") {
  for (int block = 32; block <= 1024; block *= 2)
    check(1500, block);
}

TEST_CASE("a tail of every kind") {
  for (int n : {128, 129, 255, 256, 257, 383, 384, 385})
    check(n, 128);
}

TEST_CASE("neighbouring lanes load neighbouring elements") {
  const auto seen = check(4096, 256);
  if (!seen)
    return;
  checker::expect_at_most("global_load.sectors_per_request",
                          checker::total(*seen, emu::Access::global_load).sectors_per_request(),
                          4.0,
                          "uncoalesced",
                          "a warp's load should touch 4 sectors. Elements 2 * i and 2 * i + 1 put "
                          "neighbouring lanes two elements apart");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
