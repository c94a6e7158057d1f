// Checks nearest.cu: the nearest other point in every block, ties and lone points among them, each point fetched once.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void nearest(const int2 *points, int n, int *out);

namespace {

using Points = std::vector<int2>;

Points random_points(int n, int farthest) {
  const auto coordinates =
      checker::random_values<int>(2 * static_cast<std::size_t>(n), -farthest, farthest);
  Points points(n);
  for (int i = 0; i < n; ++i)
    points[i] = make_int2(coordinates[2 * i], coordinates[2 * i + 1]);
  return points;
}

int squared(int2 a, int2 b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

/// For each point the first of the nearest ones in its block among those that may_be(i, other, distance).
template <class MayBe> std::vector<int> places(const Points &points, int block, MayBe may_be) {
  const int n = static_cast<int>(points.size());
  std::vector<int> found(n, -1);
  for (int i = 0; i < n; ++i) {
    int shortest = INT_MAX;
    const int first = i / block * block;
    for (int other = first; other < std::min(n, first + block); ++other) {
      const int distance = squared(points[i], points[other]);
      if (distance < shortest && may_be(i, other, distance)) {
        shortest = distance;
        found[i] = other;
      }
    }
  }
  return found;
}

/// What a wrong result comes from, if it is one of the usual mistakes.
void explain(const Points &h_points,
             int block,
             const std::vector<int> &got,
             const std::vector<int> &expected,
             const std::string &what) {
  const int n = static_cast<int>(h_points.size());
  std::vector<int> in_the_block, of_the_last;
  bool others_right = true, lone_wrong = false;
  for (int i = 0; i < n; ++i) {
    in_the_block.push_back(expected[i] < 0 ? -1 : expected[i] % block);
    int last = expected[i];
    for (int other = last + 1; last >= 0 && other < std::min(n, i / block * block + block); ++other)
      if (other != i &&
          squared(h_points[i], h_points[other]) == squared(h_points[i], h_points[expected[i]]))
        last = other;
    of_the_last.push_back(last);
    (expected[i] < 0 ? lone_wrong : others_right) =
        expected[i] < 0 ? lone_wrong || got[i] != -1 : others_right && got[i] == expected[i];
  }
  const auto mistake = [&](const char *diagnosis, bool holds, const char *text) {
    checker::diagnose(diagnosis, holds, what + ": " + text);
  };
  mistake("finds_itself",
          got == places(h_points, block, [](int, int, int) { return true; }),
          "each point is its own nearest neighbour. Another one is asked for");
  mistake("place_in_block",
          got == in_the_block,
          "these are places in the block. Asked for are places in `points`, where the block begins "
          "at `first`");
  mistake("coinciding_left_out",
          got == places(h_points, block, [](int, int, int distance) { return distance > 0; }),
          "points that lie in the same place are passed over. Their distance is 0, and they are "
          "others all the same: what tells a point from itself is its number");
  mistake("last_of_several",
          got == of_the_last,
          "of several that are equally near the last comes out. Does < stand where a distance is "
          "compared with the shortest?");
  const int i = static_cast<int>(std::ranges::mismatch(got, expected).in1 - got.begin());
  const bool in_block = i < n && got[i] >= i / block * block && got[i] != i &&
                        got[i] < std::min(n, i / block * block + block);
  checker::diagnose("another_of_several",
                    in_block && squared(h_points[i], h_points[got[i]]) ==
                                    squared(h_points[i], h_points[expected[i]]),
                    what + ": points " + std::to_string(expected[i]) + " and " +
                        std::to_string(got[i]) + " are equally near to point " + std::to_string(i) +
                        ". Of several the first in `points` is asked for");
  mistake("points_not_there",
          std::any_of(got.begin(), got.end(), [&](int place) { return place >= n; }),
          "the nearest one of some point is behind the last point. A block has `count` points, "
          "which may be fewer than threads");
  mistake("lone_point",
          others_right && lone_wrong,
          "all is right but a point that is alone in its block: it has no other one, and -1 is "
          "asked for");
}

std::optional<emu::Observation> check(const Points &h_points, int block, int spare_blocks = 0) {
  const int n = static_cast<int>(h_points.size());
  const auto d_points = checker::on_device(h_points);
  const auto d_out = checker::poisoned<int>(n);
  const auto expected = places(h_points, block, [](int i, int other, int) { return other != i; });
  const std::string what =
      checker::counted(n, "point") + " in blocks of " + checker::counted(block, "thread");
  auto seen = checker::launch(what, [&] {
    nearest<<<checker::enough_blocks(n, block) + spare_blocks, block>>>(
        d_points.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  if (got != expected)
    explain(h_points, block, got, expected, what);
  checker::expect_same("nearest points, " + what, got, expected);
  return seen;
}

void check_random(int n, int block) { check(random_points(n, n % 2 == 0 ? 10000 : 20), block); }

} // namespace

TEST_CASE("full blocks") { check_random(256, 128); }

TEST_CASE("every size, in any blocks") { checker::every_size(32, {64, 100}, check_random); }

TEST_CASE("points that coincide, and points in a row") {
  check(Points(100, make_int2(3, -4)), 64);
  Points row;
  for (int i = 0; i < 100; ++i)
    row.push_back(make_int2(i / 2, 0));
  check(row, 64);
  check(random_points(150, 2), 96);
}

TEST_CASE("a block for each point, and more blocks than points") {
  check_random(5, 1);
  check(random_points(70, 10000), 32, 2);
}

TEST_CASE("each point is fetched once") {
  const auto seen = check(random_points(512, 10000), 256);
  if (!seen)
    return;
  const auto fetched = static_cast<double>(checker::total(*seen, emu::Access::global_load).bytes);
  const emu::LineReport *line = checker::busiest_line(*seen, emu::Access::global_load);
  const std::uint64_t each = line ? line->counts.lanes / 512 : 0; // threads
  checker::expect_at_most("loads_per_point",
                          fetched / 512 / sizeof(int2),
                          1.0,
                          "fetched_again",
                          (each > 1 ? "in line " + std::to_string(line->where.line) +
                                          " each thread loads " + std::to_string(each) +
                                          " times: all of a block's 256 do what stands there. "
                                    : "") +
                              "A block needs each of its points from global memory once, for all "
                              "threads: let each bring one, and look at all in shared memory",
                          line);
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0, {}, 0.4); // half of the warps may do
  checker::expect_lanes(*seen, emu::Access::shared_load, 24.0);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("blocks of other sizes") {
  if (const auto seen = check(random_points(600, 10000), 200))
    checker::record("requests_for_600_points",
                    static_cast<double>(checker::total(*seen, emu::Access::global_load).requests));
}

TEST_CASE("constellations") {
  constexpr int cols = 37, rows = 28, stars = 20; // of each of two blocks, side by side
  checker::unless_failed_before();
  const auto at = checker::random_values<int>(4 * stars, 0, cols * rows - 1);
  Points points;
  for (int i = 0; i < 2 * stars; ++i)
    points.push_back(make_int2(at[i] % cols + i / stars * cols, at[i] / cols));
  checker::unobserved([&] {
    const auto d_points = checker::on_device(points);
    const auto d_out = checker::poisoned<int>(points.size());
    nearest<<<2, stars>>>(d_points.data(), 2 * stars, d_out.data());
    const auto got = d_out.download();
    checker::expect_same("nearest stars", got, places(points, stars, [](int i, int other, int) {
                           return other != i;
                         }));
    std::vector<std::string> sky(rows / 2, std::string(2 * cols, ' '));
    for (int i = 0; i < 2 * stars; ++i)
      for (int k = 0; k <= cols; ++k) { // along the line to the nearest one
        const int2 a = points[i], b = points[got[i]];
        sky[(a.y * cols + (b.y - a.y) * k) / cols / 2][a.x + (b.x - a.x) * k / cols] = '.';
      }
    std::string text = "Two skies, of a block each. Your kernel leads from each star to its "
                       "nearest one:";
    for (const int2 point : points)
      sky[point.y / 2][point.x] = '*';
    for (const std::string &line : sky)
      text += "\n" + line;
    checker::note(text);
  });
}
