// Checks own_bins.cu: the smallest of each kind, for any launch, and how often global memory is asked.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void smallest_of_each(const unsigned *in, int n, unsigned *smallest);

namespace {

constexpr int kinds = 33;

unsigned
smallest_of_block(const std::vector<unsigned> &in, int grid, int block, int number, int kind) {
  unsigned smallest = ~0u;
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    if (i / block % grid == number && std::countl_zero(in[i]) == kind)
      smallest = std::min(smallest, in[i]);
  return smallest;
}

std::optional<emu::Observation> check(int n, int grid, int block) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_smallest = checker::on_device(std::vector<unsigned>(kinds, ~0u));
  std::vector<unsigned> expected(kinds, ~0u);
  for (unsigned value : h_in) {
    unsigned &bin = expected[std::countl_zero(value)];
    bin = std::min(bin, value);
  }
  const std::string what = checker::counted(n, "number") + " by " +
                           checker::counted(grid, "block") + " of " + std::to_string(block);
  checker::perhaps("All blocks hand over to the same 33 elements. Who looks there and stores "
                   "behind that, or is atomic "
                   "for the threads of its block only, is overtaken in between: atomicMin() does "
                   "both in one step, for "
                   "all blocks",
                   "global_race");
  auto seen = checker::launch(
      what, [&] { smallest_of_each<<<grid, block>>>(d_in.data(), n, d_smallest.data()); });
  const auto got = d_smallest.download();
  checker::diagnose("zero_stays",
                    got != expected && std::count(got.begin(), got.end(), 0u) >= kinds - 1,
                    what + ": 0 came out for kinds that it is not of. A bin begins with what loses "
                           "against every number: to add, that is 0");
  bool upper_missing = block < kinds && got != expected;
  for (int bin = 0; bin < kinds && upper_missing; ++bin)
    upper_missing = got[bin] == (bin < block ? expected[bin] : ~0u);
  checker::diagnose("bins_left_out",
                    upper_missing,
                    what + ": the bins from " + std::to_string(block) +
                        " on were not handed over. With fewer than 33 threads a thread has several "
                        "of them");
  bool by_a_block = true; // also where it has no number of the kind
  for (int bin = 0; bin < kinds && by_a_block; ++bin) {
    by_a_block = false;
    for (int b = 0; b < grid; ++b)
      by_a_block |= smallest_of_block(h_in, grid, block, b, bin) == got[bin];
  }
  checker::diagnose("last_block_wins",
                    by_a_block && got != expected,
                    what + ": what came out is the smallest number of a block, and not of all "
                           "blocks: who hands over "
                           "puts its number in the place of another block's, smaller or not");
  checker::expect_same("smallest numbers of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {64, 32, 47, 96, 512}, [](int n, int block) { check(n, 3, block); });
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(500, 4, 64); });
}

TEST_CASE("six blocks") {
  if (const auto seen = check(10000, 6, 128))
    checker::record("global_atomics_of_6_blocks",
                    checker::total(*seen, emu::Access::global_atomic).lanes);
}

TEST_CASE("global memory is asked 33 times by each block") {
  const auto seen = check(4096, 4, 128);
  if (!seen)
    return;
  const double per_block =
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 4.0;
  checker::expect_at_most("global_atomics_per_block",
                          per_block,
                          kinds,
                          per_block >= 128 * kinds ? "handed_over_often"
                                                   : "too_many_global_atomics",
                          "a block has 33 bins to hand over, each of them once. What each number "
                          "costs should stay in shared memory");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
