// Checks block_sum.cu: right for every size and every block, with one barrier per round.
#include "block_results.hpp"

__global__ void block_sum(const unsigned *in, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto add = [&](unsigned sum, int i) { return sum + h_in[i]; };
  const auto run = run_blocks<unsigned>(n, block, 1, add, [&](unsigned grid, unsigned *out) {
    block_sum<<<grid, block>>>(d_in.data(), n, out);
  });
  checker::diagnose("last_round_missing",
                    run.are_instead(run.results_of([](int i) { return i % 2 == 0; })),
                    "every second element is missing: the last round, of stride 1, was left out");
  run.expect_right("sums");
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

TEST_CASE("one barrier per round") {
  const auto seen = check(2048, 1024);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          11,
                          "too_many_barriers",
                          "1024 elements need 10 rounds: a barrier before the first and one after "
                          "each are enough");
  checker::record("shared_load.wavefronts_per_request",
                  checker::total(*seen, emu::Access::shared_load).wavefronts_per_request());
  // In the last rounds few lanes and few warps are left.
  checker::expect_lanes(*seen, emu::Access::shared_load, 4.0, {}, 0.08);
}
