// Checks own_bins.cu: the counts, for any launch, and how often global memory is added to.
#include "checker/checker.hpp"

__global__ void histogram(const unsigned *in, int n, unsigned *counts);

namespace {

std::optional<emu::Observation> check(int n, int grid, int block) {
  const auto h_in = checker::random_values<unsigned>(n, 0, 63);
  const auto d_in = checker::on_device(h_in);
  const auto d_counts = checker::on_device(std::vector<unsigned>(64, 0));
  std::vector<unsigned> expected(64, 0);
  for (unsigned value : h_in)
    ++expected[value];
  const std::string what = std::to_string(n) + " numbers by " + std::to_string(grid) +
                           " blocks of " + std::to_string(block);
  auto seen = checker::observe(what, [&] {
    histogram<<<grid, block>>>(d_in.data(), n, d_counts.data());
    LAB_CHECK_LAUNCH();
  });
  const auto got = d_counts.download();
  std::vector<unsigned> times(64);
  bool multiple = n > 0 && grid > 1 && got != expected;
  for (int bin = 0; bin < 64 && multiple; ++bin)
    multiple = got[bin] == expected[bin] * block || got[bin] == expected[bin] * grid;
  checker::diagnose("handed_over_often",
                    multiple,
                    what + ": each count is too large by the same factor: the bins are handed over "
                           "more than once");
  bool upper_missing = block < 64 && got != expected;
  for (int bin = 0; bin < 64 && upper_missing; ++bin)
    upper_missing = got[bin] == (bin < block ? expected[bin] : 0);
  checker::diagnose(
      "bins_left_out",
      upper_missing,
      what + ": bins from " + std::to_string(block) +
          " on are empty. With fewer than 64 threads a thread has several bins to hand "
          "over");
  checker::expect_same("counts of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 3, 128);
}

TEST_CASE("any block") {
  for (int block : {32, 64, 96, 512})
    check(2000, 4, block);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(500, 4, 64); });
}

TEST_CASE("global memory is added to 64 times by each block") {
  const auto seen = check(4096, 4, 128);
  if (!seen)
    return;
  checker::expect_at_most(
      "global_atomics_per_block",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 4.0,
      64.0,
      "too_many_global_atomics",
      "a block has 64 counts to hand over. What each number costs should stay "
      "in shared memory");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
