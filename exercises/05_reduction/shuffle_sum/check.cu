// Checks shuffle_sum.cu: by registers, with one barrier, for any number of warps.
#include "block_results.hpp"

__global__ void sum_of_squares(const unsigned *in, int n, unsigned long long *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  using Wide = unsigned long long;
  const auto add = [&](Wide sum, int i) { return sum + static_cast<Wide>(h_in[i]) * h_in[i]; };
  const auto run = run_blocks<Wide>(n, block, 1, add, [&](unsigned grid, Wide *out) {
    sum_of_squares<<<grid, block>>>(d_in.data(), n, out);
  });
  std::vector<Wide> narrow = run.expected;
  for (Wide &sum : narrow)
    sum %= 1ull << 32;
  checker::diagnose("upper_half_lost",
                    run.are_instead(narrow),
                    run.what + ": of the sums only the lower 32 bits are left. Somewhere on their "
                               "way they were in an unsigned");
  std::vector<Wide> by_halves(run.expected.size());
  for (int i = 0; i < n; ++i) {
    Wide &sum = by_halves[i / run.per_block];
    const Wide square = add(0, i);
    sum = ((sum >> 32) + (square >> 32)) << 32 | static_cast<unsigned>(sum + square);
  }
  checker::diagnose("carries_lost",
                    run.are_instead(by_halves),
                    run.what + ": too small by " +
                        std::to_string((run.expected[0] - run.got[0]) >> 32) +
                        " times 2^32. The lower 32 bits are added apart, and what they carry to "
                        "the upper ones is lost; a shuffle moves all 64 bits of a value");
  const auto in_first_warp = [&](int i) { return i % run.per_block < 32; };
  checker::diagnose("first_warp_only",
                    run.are_instead(run.results_of(in_first_warp)),
                    run.what + ": this is the sum of each block's first warp");
  std::vector<Wide> doubled = run.results_of([&](int i) { return i % run.per_block == 0; });
  for (Wide &sum : doubled)
    sum *= 32 * 32; // in five rounds of the warp's sum, and five of the block's
  checker::diagnose("from_below",
                    run.are_instead(doubled),
                    run.what + ": lane 0 has only its own square, added to itself in each round; "
                               "the sum is in lane 31. __shfl_up_sync() asks lanes below");
  diagnose_not_each_once(
      run,
      [](int k) { return 1u << 2 * k; },
      [](const unsigned *in, int count, Wide *out) {
        sum_of_squares<<<1, count>>>(in, count, out);
      });
  run.expect_right("sums of squares");
  return run.seen;
}

} // namespace

TEST_CASE("every size, by any number of warps") {
  checker::every_size(128, {32, 64, 96, 320, 992, 1024}, check);
}

TEST_CASE("a block of 64 threads") {
  if (const auto seen = check(64, 64))
    checker::record("shuffles_of_64_threads", checker::meetings_per_warp(*seen));
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
  checker::expect_masks_named(*seen);
}
