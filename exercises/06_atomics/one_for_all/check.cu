// Checks one_for_all.cu: two heaps, each number once, by an atomic for each kind that a warp has.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void two_heaps(const unsigned *in, int n, unsigned *out, unsigned *counts);

namespace {

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, const std::string &what) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const auto d_counts = checker::on_device(std::vector<unsigned>{0, 0});
  auto expected = h_in;
  const auto is_even = [](unsigned value) { return value % 2 == 0; };
  const auto border = std::partition(expected.begin(), expected.end(), is_even);
  const auto evens = static_cast<unsigned>(border - expected.begin());
  auto seen = checker::launch(what, [&] {
    two_heaps<<<checker::enough_blocks(n, 128), 128>>>(
        d_in.data(), n, d_out.data(), d_counts.data());
  });
  if (seen)
    checker::expect(
        !seen->find("absent_lanes"),
        "lanes_left_out",
        what + ": a vote names all 32 lanes, and some of them do not come to it: they have "
               "no number and are gone. Vote where all lanes come, before any if");
  checker::expect_same("even numbers of " + what, d_counts.at(0), evens);
  checker::expect_same("odd numbers of " + what, d_counts.at(1), static_cast<unsigned>(n) - evens);
  auto got = d_out.download();
  std::sort(expected.begin(), border);
  std::sort(border, expected.end());
  std::sort(got.begin(), got.begin() + evens);
  std::sort(got.begin() + evens, got.end());
  checker::expect_same("heaps, each of them sorted, of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(checker::extreme_values<unsigned>(n), checker::counted(n, "number"));
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders(
      [] { check(checker::random_values<unsigned>(1000, 0, ~0u), "1000 numbers"); });
}

TEST_CASE("all even, none even") {
  check(std::vector<unsigned>(300, 8), "300 even numbers");
  check(std::vector<unsigned>(300, 9), "300 odd numbers");
}

TEST_CASE("one atomic for each kind") {
  const auto seen = check(checker::random_values<unsigned>(1024, 0, 1000000), "1024 numbers");
  if (!seen)
    return;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 32.0,
      2.0,
      "too_many_atomics",
      "one lane of a warp can ask for all places that its warp needs in a heap");
  // Half of a warp at a time, where each branch stores for itself.
  checker::expect_lanes(*seen, emu::Access::global_store, 12.0);
}
