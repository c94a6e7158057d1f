// Checks once_over.cu: both numbers for any launch, and what crosses the link for them.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

__global__ void min_max(const unsigned *in, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(const std::vector<unsigned> &numbers, int grid, int block) {
  const int n = static_cast<int>(numbers.size());
  lab::PinnedBuffer<unsigned> pinned(n);
  std::ranges::copy(checker::goes_in(numbers), pinned.begin());
  unsigned *in = nullptr;
  if (n > 0)
    LAB_CHECK(cudaHostGetDevicePointer(&in, pinned.data(), 0));
  const auto d_out = checker::on_device(std::vector<unsigned>{~0u, 0});
  std::vector<unsigned> expected{~0u, 0};
  for (unsigned number : numbers)
    expected = {std::min(expected[0], number), std::max(expected[1], number)};
  const std::string what = checker::counted(n, "number") + " by " +
                           checker::counted(grid, "block") + " of " + std::to_string(block);
  auto seen = checker::launch(what, [&] { min_max<<<grid, block>>>(in, n, d_out.data()); });
  const auto got = d_out.download();
  checker::expect_same("the smallest of " + what, got[0], expected[0]);
  checker::expect_same("the largest of " + what, got[1], expected[1]);
  return seen;
}

std::vector<unsigned> numbers(int n) {
  return checker::random_values<unsigned>(n, 1000, 1'000'000'000);
}

// One number that is smaller, or larger, than all others, at a place of its own.
std::vector<unsigned> numbers_with(int n, int place, unsigned value) {
  auto some = numbers(n);
  some[place] = value;
  return some;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(numbers(n), 3, 64);
}

TEST_CASE("any launch, whoever comes in between") {
  check(numbers(500), 5, 47);
  checker::unobserved([] { check(numbers(100'000), 1031, 64); });
  checker::in_drawn_orders([] { check(numbers(500), 4, 64); });
}

TEST_CASE("the first and the last count, too") {
  for (int n : {1, 100, 1025})
    for (unsigned value : {0u, ~0u}) {
      check(numbers_with(n, 0, value), 2, 64);
      check(numbers_with(n, n - 1, value), 2, 64);
    }
}

TEST_CASE("each number crosses the link once") {
  constexpr int n = 8192;
  const auto seen = check(numbers(n), 4, 128); // all four blocks are counted
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.1,
      "scattered",
      "32 numbers side by side are 4 sectors of 32 bytes; the lanes of your warps "
      "read far from each other, and for each number a whole sector crosses the "
      "link");
  const double reads = static_cast<double>(loads.lanes) / n;
  checker::expect(
      std::fabs(reads - 4) > 0.2,
      "read_by_each_block",
      "each of the four blocks reads all numbers, but the few before its own first one: "
      "the step from one number of a thread to its next is the threads of a block, and "
      "has to be those of the whole grid");
  checker::expect_at_most(
      "reads_per_number",
      reads,
      1.1,
      "read_twice",
      "a number that is read twice crosses the link twice, unless a cache happens to "
      "have it still");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
