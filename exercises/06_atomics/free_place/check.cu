// Checks free_place.cu: numbers above 0 side by side from the front, all others from the end, by one atomic for each.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void part(const int *in, int n, int *out, int *ends);

namespace {

std::optional<emu::Observation>
check(const std::vector<int> &h_in, const std::string &what, int block = 128) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(n);
  const auto d_ends = checker::on_device(std::vector<int>{0, n - 1});
  auto expected = h_in;
  const auto middle =
      std::partition(expected.begin(), expected.end(), [](int value) { return value > 0; });
  const int few = static_cast<int>(middle - expected.begin());
  checker::perhaps(
      "Each place is for one number: is it drawn for this one, and does nobody else store there?",
      "global_race",
      "two threads write out[");
  auto seen = checker::launch(what, [&] {
    part<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_out.data(), d_ends.data());
  });
  const auto ends = d_ends.download();
  const auto got = d_out.download();
  checker::expect_same("ends[0] of " + what, ends[0], few);
  checker::expect_same("ends[1] of " + what, ends[1], few - 1);
  checker::diagnose("not_moved",
                    got == h_in,
                    what + ": each number stands in out where it stood in the input. Its place is "
                           "the one that it has drawn");
  auto list = got;
  std::sort(expected.begin(), middle);
  std::sort(middle, expected.end());
  std::sort(list.begin(), list.begin() + few);
  std::sort(list.begin() + few, list.end());
  checker::expect_same("front and end, each sorted, of " + what, list, expected);
  return seen;
}

} // namespace

TEST_CASE("all at one end") {
  checker::perhaps(
      "An atomic gives back what was there before: 0 for the first at the front, n - 1 for the "
      "first at the end, which goes down (chapter 06)",
      "out_of_bounds");
  check(std::vector<int>(256, 0), "256 zeros");
  check(std::vector<int>(256, 7), "256 numbers above 0");
}

TEST_CASE("some here, some there") {
  check(checker::random_values<int>(1000, -9, 9), "1000 numbers");
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(checker::random_values<int>(1000, -9, 9), "1000 numbers"); });
}

TEST_CASE("every size, in any blocks") {
  checker::unless_failed_before();
  checker::every_size(128, {32, 47, 96, 1024}, [](int n, int block) {
    check(checker::extreme_values<int>(n), checker::counted(n, "number"), block);
  });
}

TEST_CASE("an atomic for each number") {
  std::vector<int> h_in(900, -1);
  for (std::size_t i = 0; i < h_in.size(); i += 3)
    h_in[i] = static_cast<int>(i) + 1;
  const auto seen = check(h_in, "900 numbers, 300 of them above 0");
  if (!seen)
    return;
  const double atomics = checker::total(*seen, emu::Access::global_atomic).lanes;
  checker::record("atomics", atomics);
  if (atomics < 900)
    checker::note("fewer atomics than numbers: threads have agreed before they asked. That is "
                  "better than what was asked for, and 06.3 is about it");
  checker::expect_lanes(*seen, emu::Access::global_load, 15.0);
}

TEST_CASE("a list as bars") {
  constexpr int n = 74, most = 8;
  checker::unless_failed_before();
  const auto h_in = checker::random_values<int>(n, -most, most);
  const auto bars = [](const std::vector<int> &list) {
    std::vector<bool> cells;
    for (int row = most; row > -most; --row) // of cells between row - 1 and row
      for (const int value : list)
        cells.push_back(row > 0 ? value >= row : value < row);
    return checker::picture(cells, n);
  };
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in), d_ends = checker::on_device(std::vector{0, n - 1});
    const auto d_out = checker::poisoned<int>(n);
    part<<<3, 32>>>(d_in.data(), n, d_out.data(), d_ends.data());
    checker::note("A list, above and below 0:" + bars(h_in) +
                  "\nand parted by your kernel:" + bars(d_out.download()));
  });
}
