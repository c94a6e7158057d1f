// Checks one_for_all.cu: all even numbers, each once, by one atomic for a warp.
#include "checker/checker.hpp"

#include <algorithm>

__global__ void keep_even(const unsigned *in, int n, unsigned *out, unsigned *count);

namespace {

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, const std::string &what) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const auto d_count = checker::on_device(std::vector<unsigned>{0});
  std::vector<unsigned> expected;
  for (unsigned value : h_in)
    if (value % 2 == 0)
      expected.push_back(value);
  auto seen = checker::observe(what, [&] {
    keep_even<<<(n + 127) / 128, 128>>>(d_in.data(), n, d_out.data(), d_count.data());
    LAB_CHECK_LAUNCH();
  });
  if (seen)
    checker::expect(!seen->find("absent_lanes"),
                    "lanes_left_out",
                    what +
                        ": a vote names all 32 lanes, and some of them do not come to it: they go "
                        "past the branch in which it stands. Vote where all lanes come, before "
                        "the if");
  checker::expect_same(
      "numbers kept of " + what, d_count.at(0), static_cast<unsigned>(expected.size()));
  auto got = d_out.download();
  got.resize(expected.size());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  checker::diagnose("holes",
                    got != expected && !got.empty() && got.back() == 0xCDCDCDCDu,
                    what + ": the count is right, but some places of out were never written: two "
                           "lanes took the same one");
  checker::expect_same("sorted numbers kept of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(checker::random_values<unsigned>(n, 0, 1000000), std::to_string(n) + " numbers");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders(
      [] { check(checker::random_values<unsigned>(1000, 0, ~0u), "1000 numbers"); });
}

TEST_CASE("all even, none even") {
  check(std::vector<unsigned>(300, 8), "300 even numbers");
  check(std::vector<unsigned>(300, 9), "300 odd numbers");
}

TEST_CASE("one atomic for a warp") {
  const auto seen = check(checker::random_values<unsigned>(1024, 0, 1000000), "1024 numbers");
  if (!seen)
    return;
  checker::expect_at_most(
      "atomics_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 32.0,
      1.0,
      "too_many_atomics",
      "one lane of a warp can ask for all places that its warp needs");
  checker::expect_lanes(*seen, emu::Access::global_store, 8.0); // half of the numbers are kept
}
