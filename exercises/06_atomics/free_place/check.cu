// Checks free_place.cu: each number above 0 once, side by side from the front, by one atomic for each.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void list_positive(const int *in, int n, int *out, int *kept);

namespace {

constexpr int poison = static_cast<int>(0xCDCDCDCD);

std::optional<emu::Observation>
check(const std::vector<int> &h_in, const std::string &what, int block = 128) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(n);
  const auto d_kept = checker::on_device(std::vector<int>{0});
  std::vector<int> expected;
  std::copy_if(h_in.begin(), h_in.end(), std::back_inserter(expected), [](int v) { return v > 0; });
  checker::perhaps(
      "Each place is for one number that is kept: is a place drawn for each of them, and "
      "does nobody else store there?",
      "global_race",
      "two threads write out[");
  auto seen = checker::launch(what, [&] {
    list_positive<<<checker::enough_blocks(n, block), block>>>(
        d_in.data(), n, d_out.data(), d_kept.data());
  });
  const int few = static_cast<int>(expected.size()), kept = d_kept.at(0);
  checker::diagnose("all_draw",
                    kept != few && kept >= n,
                    what + ": *kept has counted all numbers. Whoever keeps nothing needs no place");
  const auto got = d_out.download();
  auto list = got;
  list.resize(few);
  std::sort(expected.begin(), expected.end());
  std::sort(list.begin(), list.end());
  checker::diagnose("back_to_zero",
                    few > 0 && kept == 0 && list == expected,
                    what + ": the list is right, but *kept ends as 0. Behind its limit atomicInc() "
                           "goes back to 0");
  checker::expect_same("*kept of " + what, kept, few);
  checker::diagnose("one_off",
                    few > 0 && few < n && got[0] == poison &&
                        std::count(got.begin() + 1, got.begin() + few + 1, poison) == 0,
                    what + ": the list begins at place 1, and place 0 is empty. The first thread "
                           "that adds 1 gets back what was there before");
  bool not_moved = few < n;
  for (int i = 0; i < n; ++i)
    not_moved = not_moved && got[i] == (h_in[i] > 0 ? h_in[i] : poison);
  checker::diagnose("not_moved",
                    not_moved,
                    what + ": each number stands in out where it stood in the input, with holes "
                           "between them. Its place is the one that it has drawn");
  checker::expect_same("list, sorted, of " + what, list, expected);
  return seen;
}

} // namespace

TEST_CASE("some are kept") { check(checker::random_values<int>(1000, -9, 9), "1000 numbers"); }

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 47, 96, 1024}, [](int n, int block) {
    check(checker::extreme_values<int>(n), checker::counted(n, "number"), block);
  });
}

TEST_CASE("all kept, none kept") {
  checker::perhaps(
      "Here all threads have a number, and all are kept: the places are 0 to 255. What "
      "atomicAdd() gives back is what was there before, 0 for the first (chapter 06)",
      "out_of_bounds");
  check(std::vector<int>(256, 7), "256 numbers above 0");
  checker::perhaps("", "out_of_bounds");
  check(std::vector<int>(300, 7), "300 numbers above 0");
  check(std::vector<int>(300, 0), "300 zeros");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(checker::random_values<int>(1000, -9, 9), "1000 numbers"); });
}

TEST_CASE("an atomic for each number that is kept") {
  std::vector<int> h_in(900, -1);
  for (std::size_t i = 0; i < h_in.size(); i += 3)
    h_in[i] = static_cast<int>(i) + 1;
  const auto seen = check(h_in, "900 numbers, 300 of them above 0");
  if (!seen)
    return;
  const double atomics = checker::total(*seen, emu::Access::global_atomic).lanes;
  checker::record("atomics", atomics);
  if (atomics < 300)
    checker::note("fewer atomics than numbers: threads have agreed before they asked. That is "
                  "better than what was asked for, and 06.3 is about it");
  checker::expect_lanes(*seen, emu::Access::global_load, 15.0);
}
