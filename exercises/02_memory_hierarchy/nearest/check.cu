// Checks nearest.cu: the nearest other star, ties and a lone star among them, each star fetched once for a block.
#include "checker/nasty.hpp"

#include <algorithm>
#include <functional>

__global__ void nearest(const int2 *stars, int n, int *out);

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

/// For each point the first of the nearest ones, as measured, among those that may_be(i, other, distance).
template <class MayBe, class Measured = std::identity>
std::vector<int> places(const Points &points, MayBe may_be, Measured measured = {}) {
  const int n = static_cast<int>(points.size());
  std::vector<int> found(n, -1);
  for (int i = 0; i < n; ++i) {
    auto shortest = measured(INT_MAX);
    for (int other = 0; other < n; ++other) {
      const int distance = squared(points[i], points[other]);
      if (measured(distance) < shortest && may_be(i, other, distance)) {
        shortest = measured(distance);
        found[i] = other;
      }
    }
  }
  return found;
}
std::vector<int> nearest_others(const Points &points) {
  return places(points, [](int i, int other, int) { return other != i; });
}

/// What a wrong result comes from, if it is one of the usual mistakes.
void explain(const Points &h_points,
             int block,
             const std::vector<int> &got,
             const std::vector<int> &expected,
             const std::string &what) {
  const int n = static_cast<int>(h_points.size());
  std::vector<int> in_the_part, of_the_last;
  for (int i = 0; i < n; ++i) {
    in_the_part.push_back(expected[i] < 0 ? -1 : expected[i] % block);
    int last = expected[i];
    for (int other = last + 1; last >= 0 && other < n; ++other)
      if (other != i &&
          squared(h_points[i], h_points[other]) == squared(h_points[i], h_points[expected[i]]))
        last = other;
    of_the_last.push_back(last);
  }
  const auto mistake = [&](const char *diagnosis, bool holds, const char *text) {
    checker::diagnose(diagnosis, holds, what + ": " + text);
  };
  mistake("lone_star", n == 1, "a star that is alone has no other one, and -1 is asked for");
  mistake("finds_itself",
          got == places(h_points, [](int, int, int) { return true; }),
          "each star is its own nearest neighbour. Another one is asked for");
  mistake("own_block_only",
          got == places(h_points,
                        [&](int i, int other, int) {
                          return other != i && other / block == i / block;
                        }),
          "found is the nearest of the stars that the block itself stands for. The nearest of all "
          "may be another block's");
  mistake(
      "last_round_missing",
      got == places(h_points,
                    [&](int i, int other, int) { return other != i && other < n / block * block; }),
      "found is the nearest of the stars that come in whole rounds. What is left, fewer than "
      "the block has threads, takes one round more");
  mistake("up_to_the_own_block",
          got == places(h_points,
                        [&](int i, int other, int) {
                          return other != i && other < (i / block + 1) * block;
                        }),
          "found is the nearest of the stars up to those of the block itself. Each block looks at "
          "all of them, those behind its own, too");
  mistake("later_ones_only",
          got == places(h_points, [](int i, int other, int) { return other > i; }),
          "found is the nearest of the stars with greater numbers. Distances are the same both "
          "ways, but the other thread does not tell: each looks at all others");
  mistake("place_for_number",
          got ==
              places(h_points, [&](int i, int other, int) { return other % block != i % block; }),
          "in each round the star at place tid of shared memory is passed over. It is the thread's "
          "own one in one round only: a star is known by its number");
  mistake("place_in_part",
          got == in_the_part,
          "these are places in shared memory. Asked for are numbers of stars: in each round other "
          "stars stand in these places");
  mistake("coinciding_left_out",
          got == places(h_points, [](int, int, int distance) { return distance > 0; }),
          "stars that lie in the same place are passed over. Their distance is 0, and they are "
          "others all the same: a star is known by its number");
  mistake("last_of_several",
          got == of_the_last,
          "of several that are equally near the last comes out. Does < stand where a distance is "
          "compared with the shortest?");
  mistake("rounded_distances",
          got == places(
                     h_points,
                     [](int i, int other, int) { return other != i; },
                     [](int distance) { return static_cast<float>(distance); }),
          "found is the nearest by distances that are rounded to float, in which 25010001 and "
          "25010000 are the same");
  mistake("stars_not_there",
          std::any_of(got.begin(), got.end(), [&](int place) { return place >= n; }),
          "the nearest one of some star is behind the last one. In the last round fewer stars may "
          "come in than there are threads");
  mistake("stars_not_there",
          n == 2 && std::any_of(got.begin(), got.end(), [](int place) { return place == -1; }),
          "each has the other one, and -1 comes out. Was a place that no star has come into taken "
          "for one, and for a nearer one?");
}

/// Of n stars, by blocks that have so many threads.
void expect_fetched_once(const emu::Observation &seen, int n, int block) {
  std::uint64_t blocks = 0; // that were counted
  for (const emu::KernelReport &kernel : seen.kernels)
    blocks += kernel.blocks_traced;
  const auto fetched = static_cast<double>(checker::total(seen, emu::Access::global_load).bytes);
  const emu::LineReport *line = checker::busiest_line(seen, emu::Access::global_load);
  const std::uint64_t each = line ? line->counts.lanes / (blocks * block) : 0;
  checker::expect_at_most("loads_per_star_and_block",
                          fetched / static_cast<double>(blocks * n) / sizeof(int2),
                          1.01 + static_cast<double>(block) / n, // and the own one
                          "fetched_again",
                          (each > 4 ? "in line " + std::to_string(line->where.line) +
                                          " each thread loads " + std::to_string(each) +
                                          " times: all of a block's " + std::to_string(block) +
                                          " do what stands there. "
                                    : "") +
                              "A block needs each star from global memory once, for all its "
                              "threads: let each thread bring one at a time, and look at them in "
                              "shared memory",
                          line);
}

std::optional<emu::Observation> check(const Points &h_points, int block, int spare_blocks = 0) {
  const int n = static_cast<int>(h_points.size());
  const auto d_points = checker::on_device(h_points);
  const auto d_out = checker::poisoned<int>(n);
  const auto expected = nearest_others(h_points);
  const std::string what =
      checker::counted(n, "star") + " in blocks of " + checker::counted(block, "thread");
  auto seen = checker::launch(what, [&] {
    nearest<<<checker::enough_blocks(n, block) + spare_blocks, block>>>(
        d_points.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  if (got != expected)
    explain(h_points, block, got, expected, what);
  checker::expect_same("nearest stars, " + what, got, expected);
  if (seen && n > 0)
    expect_fetched_once(*seen, n, block);
  return seen;
}

void check_random(int n, int block) { check(random_points(n, n % 2 == 0 ? 10000 : 20), block); }

} // namespace

TEST_CASE("three rounds, the last of which is not full") {
  check_random(150, 64);
  check_random(150, 32);
}

TEST_CASE("every size, in any blocks") {
  for (int n : {128, 127, 33, 32, 31, 1, 0})
    check_random(n, 32);
  for (int n : checker::own_sizes(1, 1025, 1500))
    check_random(n, 32);
  for (int block : {1, 47, 256})
    check_random(3 * std::min(block, 64) + 1, block);
}

TEST_CASE("stars that coincide, and stars in a row") {
  check(Points(100, make_int2(3, -4)), 64);
  Points row;
  for (int i = 0; i < 100; ++i)
    row.push_back(make_int2(i / 2, 0));
  check(row, 64);
  check(random_points(150, 2), 96, 1);
}

TEST_CASE("two stars, as far apart as can be") {
  checker::unless_failed_before();
  for (const int y : {10000, -10000})
    check({make_int2(10000, y), make_int2(-10000, -y)}, 32);
}

TEST_CASE("the second is nearer by less than a float can tell") {
  checker::unless_failed_before();
  check({make_int2(0, 0), make_int2(5001, 0), make_int2(5000, 100)}, 32);
}

TEST_CASE("each star is fetched once for a block") {
  checker::unless_failed_before();
  const auto seen = check(random_points(256, 10000), 64);
  if (!seen)
    return;
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0, {}, 0.4); // half of the warps may do
  checker::expect_lanes(*seen, emu::Access::shared_load, 24.0);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("300 stars") {
  checker::unless_failed_before();
  if (const auto seen = check(random_points(300, 10000), 100))
    checker::record("requests_for_300_stars",
                    static_cast<double>(checker::total(*seen, emu::Access::global_load).requests));
}

TEST_CASE("constellations") {
  constexpr int cols = 74, rows = 34, stars = 60;
  checker::unless_failed_before();
  const auto at = checker::random_values<int>(stars, 0, cols * rows - 1);
  Points points;
  for (int place : at)
    points.push_back(make_int2(place % cols, place / cols));
  checker::unobserved([&] {
    const auto d_points = checker::on_device(points);
    const auto d_out = checker::poisoned<int>(points.size());
    nearest<<<4, 16>>>(d_points.data(), stars, d_out.data());
    const auto got = d_out.download();
    checker::expect_same("nearest stars", got, nearest_others(points));
    std::vector<std::string> sky(rows / 2, std::string(cols, ' '));
    for (int i = 0; i < stars; ++i)
      for (int k = 0; k <= cols; ++k) { // along the line to the nearest one
        const int2 a = points[i], b = points[got[i]];
        sky[(a.y * cols + (b.y - a.y) * k) / cols / 2][a.x + (b.x - a.x) * k / cols] = '.';
      }
    std::string text = "A sky. Your kernel leads from each star to its nearest one, and makes "
                       "constellations of them:";
    for (const int2 point : points)
      sky[point.y / 2][point.x] = '*';
    for (const std::string &line : sky)
      text += '\n' + line.substr(0, line.find_last_not_of(' ') + 1);
    checker::note(text);
  });
}
