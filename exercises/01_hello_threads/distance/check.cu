// Checks distance.cu: the formula, the number of blocks, and no points at all.
#include "checker/checker.hpp"

#include <cmath>

void distances(const float2 *d_points, int n, float2 from, float *d_out);

namespace {

std::optional<emu::Observation> check(int n) {
  const auto coordinates =
      checker::random_values<float>(2 * static_cast<std::size_t>(n), -9.0f, 9.0f);
  std::vector<float2> h_points;
  for (int i = 0; i < n; ++i)
    h_points.push_back(make_float2(coordinates[2 * i], coordinates[2 * i + 1]));
  const float2 from = make_float2(0.5f, -0.25f);
  if (n > 1)
    h_points[1] = from; // is no distance away from itself
  const auto d_points = checker::on_device(h_points);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected, squares;
  for (float2 p : h_points) {
    const double x = static_cast<double>(p.x) - static_cast<double>(from.x);
    const double y = static_cast<double>(p.y) - static_cast<double>(from.y);
    squares.push_back(static_cast<float>(x * x + y * y));
    expected.push_back(static_cast<float>(std::sqrt(x * x + y * y)));
  }

  const std::string what = checker::counted(n, "point");
  auto seen = checker::launch(what, [&] { distances(d_points.data(), n, from, d_out.data()); });
  const auto got = d_out.download();
  const std::size_t covered = n / 128 * 128;
  // Differences, squares, a sum and a root: six roundings, the square twice as bad as its root.
  const lab::Tolerance tolerance = lab::tolerance_for_operations<float>(8);
  bool right_so_far = n > 0;
  for (std::size_t i = 0; i < covered && right_so_far; ++i)
    right_so_far = lab::close(got[i], expected[i], tolerance);
  checker::diagnose("not_a_number",
                    n > 2 && !std::isnan(got[0]) && std::isnan(got[1]) && !std::isnan(got[2]),
                    what + ": one of the points is `from` itself. Its distance is 0, and NaN came "
                           "out: what do 0 times infinity and 0 / 0 give?");
  checker::diagnose("last_block_missing",
                    right_so_far && covered < got.size() && std::isnan(got[covered]),
                    what + ": nothing behind element " +
                        std::to_string(static_cast<long>(covered) - 1) +
                        " was computed. n / 128 rounds down: the last, unfilled block is missing");
  checker::diagnose("no_root",
                    n > 0 && lab::compare(got, squares, tolerance).ok,
                    what + ": these are the squares of the distances");
  checker::expect_same(what, got, expected, tolerance);
  return seen;
}

} // namespace

TEST_CASE("points that fill the blocks") { check(256); }

TEST_CASE("any number of points") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n);
}

TEST_CASE("no points at all") { check(0); }

TEST_CASE("full warps, and no blocks to spare") {
  const auto seen = check(1024);
  if (!seen)
    return;
  for (const auto &kernel : seen->kernels)
    checker::expect(kernel.grid[0] != 128 || kernel.block[0] != 8,
                    "grid_and_block_swapped",
                    "1024 points: 128 blocks of 8 threads were launched, where 8 blocks of 128 are "
                    "meant. In <<<…>>> the number of blocks comes first");
  checker::expect_lanes(
      *seen,
      emu::Access::global_store,
      30.0,
      "a warp is 32 threads of one block, and a block of one thread has one lane");
  unsigned long long blocks = 0;
  for (const auto &kernel : seen->kernels)
    blocks += kernel.blocks();
  checker::expect_at_most("blocks",
                          static_cast<double>(blocks),
                          8.0,
                          "too_many_blocks",
                          "1024 points need 8 blocks of 128 threads");
}
