// Checks four_in_flight.cu: every leaf at every step, coalesced loads, and how many come before a step's first store.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

int blocks_for(int n, int threads);
__global__ void drift(const int *wind, const int *leaves, int n, int steps, int *trail);

namespace {

constexpr int poison = static_cast<int>(0xCDCDCDCD);

std::vector<int> trail_of(const std::vector<int> &wind, std::vector<int> leaves, int steps) {
  std::vector<int> trail;
  for (int s = 0; s < steps; ++s)
    for (int &leaf : leaves) {
      leaf = wind[leaf];
      trail.push_back(leaf);
    }
  return trail;
}

std::vector<int> in_a_row(int n, int first = 0) {
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), first);
  return places;
}

std::optional<emu::Observation> check(const std::vector<int> &wind,
                                      const std::vector<int> &h_leaves,
                                      int steps,
                                      int threads,
                                      int offset = 0) {
  const int n = static_cast<int>(h_leaves.size());
  const auto expected = trail_of(wind, h_leaves, steps);
  std::vector<int> further(offset, -1); // leaves that nobody may look at
  further.insert(further.end(), h_leaves.begin(), h_leaves.end());
  const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(further);
  const auto d_trail = checker::poisoned<int>(n * steps + offset);
  const std::string what = (n == 1 ? "1 leaf" : std::to_string(n) + " leaves") + " in blocks of " +
                           std::to_string(threads) + ", " + checker::counted(steps, "step");
  const int blocks = blocks_for(n, threads);
  checker::expect(blocks >= 0 && blocks <= n, "wrong_result", what + ": this many blocks?");
  auto seen = checker::launch(what, [&] {
    if (blocks > 0)
      drift<<<blocks, threads>>>(
          d_wind.data(), d_leaves.data() + offset, n, steps, d_trail.data() + offset);
  });
  auto got = d_trail.download();
  got.erase(got.begin(), got.begin() + offset);
  const int at_most = 4 * blocks * threads;
  int missing = 0, wrong = 0;
  for (int i = 0; i < n * steps; ++i)
    if (got[i] == poison)
      ++missing;
    else if (got[i] != expected[i])
      ++wrong;
  checker::diagnose("too_few_blocks",
                    wrong == 0 && at_most < n && missing == (n - at_most) * steps,
                    what + ": what is there is right, but blocks_for(" + std::to_string(n) + ", " +
                        std::to_string(threads) + ") is " + std::to_string(blocks) +
                        ", and so many blocks take " + std::to_string(at_most) + " leaves at most");
  const int first_missing = static_cast<int>(std::ranges::find(got, poison) - got.begin());
  const bool of_blocks = at_most >= n && n - first_missing >= threads &&
                         missing == (n - first_missing) * steps; // all from one leaf on
  checker::diagnose("leaves_left_out",
                    missing > 0 && wrong == 0,
                    what + ": what is there is right, but " + std::to_string(missing) + " of " +
                        std::to_string(n * steps) + " places were left out" +
                        (of_blocks ? ", those of all leaves from number " +
                                         std::to_string(first_missing) + " on. Blocks of " +
                                         std::to_string(threads) + " threads have " +
                                         std::to_string(4 * threads) +
                                         " leaves each: is any leaf followed by two of them?"
                                   : ". A thread may have fewer than four leaves left"));
  checker::diagnose("a_step_behind",
                    steps > 1 && n > 0 && std::equal(h_leaves.begin(), h_leaves.end(), got.begin()),
                    what + ": the trail begins with the leaves' own places. Its first row is where "
                           "they are after a step");
  checker::diagnose("one_step_only",
                    steps > 1 && n > 0 && got != expected &&
                        std::equal(expected.begin(), expected.begin() + n, got.begin()) &&
                        std::equal(got.begin() + n, got.begin() + 2 * n, got.begin()),
                    what + ": after two steps the leaves are where they were after one. A step "
                           "begins where the one before has ended");
  checker::expect_same("trail of " + what, got, expected, {}, std::max(n, 1));
  return seen;
}

// One warp with 128 leaves, whose trail lies on the wind at the places of its own next leaves, in one of two steps: each
// lane overwrites what only it will read. So the trail tells how many loads of this step came before its first store.
int loads_before_the_first_store(int step) {
  // After a step the first 32 leaves are at 512 and behind, the others at 1024 and behind, and then, again in a row, from 2048.
  constexpr int away = 1500, first[] = {512, 1024, 1056, 1088};
  auto wind = checker::random_values<int>(2500, away, away);
  for (int k = 0; k < 4; ++k)
    for (int lane = 0; lane < 32; ++lane) {
      wind[32 * k + lane] = first[k] + lane;
      wind[first[k] + lane] = 2048 + 32 * k + lane;
    }
  const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(in_a_row(128));
  const int begin = step == 0 ? 32 : first[1] - 128; // of the trail, so that row `step` lies there
  checker::launch("128 leaves, whose trail lies on the wind of the next", [&] {
    drift<<<1, 32>>>(d_wind.data(), d_leaves.data(), 128, step + 1, d_wind.data() + begin);
  });
  const auto after = d_wind.download();
  const auto expected = trail_of(wind, in_a_row(128), step + 1);
  int loads = 0;
  for (bool right = true; right && loads < 4; loads += right)
    for (int lane = 0; lane < 32; ++lane) {
      const int i = step * 128 + 32 * loads + lane;
      right = right && after[begin + i] == expected[i];
    }
  return loads;
}

} // namespace

TEST_CASE("every size, in any blocks, from any address on") {
  const auto wind = checker::random_values<int>(997, 0, 996);
  checker::every_size(128, {32, 47, 96, 256, 1024}, [&](int n, int threads) {
    check(wind, checker::random_values<int>(n, 0, 996), 2, threads);
  });
  check(wind, checker::random_values<int>(1000, 0, 996), 3, 64, 1);
}

TEST_CASE("a quarter of the threads") {
  for (int n : {1024, 1025, 4099, 1, 127, 0}) {
    const int blocks = blocks_for(n, 32), expected = (n + 127) / 128;
    checker::diagnose("too_many_blocks",
                      blocks > expected,
                      "a thread takes four leaves now: most of these blocks have nothing to do");
    checker::expect_same(
        "blocks of 32 threads for " + std::to_string(n) + " leaves", blocks, expected);
  }
}

TEST_CASE("four loads before the first store, coalesced ones") {
  checker::record("bytes_of_a_warp_of_doubles", 32.0 * 3 * sizeof(double));
  auto wind = in_a_row(1024, 32); // each leaf goes 32 places on, at the end to the beginning
  std::iota(wind.end() - 32, wind.end(), 0);
  const auto seen = check(wind, in_a_row(1024), 2, 64);
  if (seen) {
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4,
        "uncoalesced",
        "each load of a warp should need 4 sectors here, where leaves lie in a row: in each of a "
        "thread's four loads, neighbouring threads have to take neighbouring leaves");
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  }
  for (const int step : {0, 1})
    checker::expect_at_least(
        step == 0 ? "in_flight_at_first" : "in_flight_then",
        loads_before_the_first_store(step),
        4,
        "one_at_a_time",
        std::string("the trail is right, but at ") + (step == 0 ? "the first" : "the second") +
            " step a leaf's load comes behind the store of another one. `trail` could be where it "
            "loads from, so the load cannot begin before the store has");
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      checker::expect(kernel.restricted_parameters == 0,
                      "false_promise",
                      "__restrict__ promises that `trail` overlaps nothing. It may, and then the "
                      "compiler is free to do anything: write the loads before the stores instead");
}

TEST_CASE("a storm") {
  constexpr int rows = 35, cols = 74, steps = 60;
  std::vector<int> wind;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const double y = row - rows / 2, x = 0.5 * (col - cols / 2); // about the eye
      const double to_y = 0.955 * y + 0.15 * x, to_x = 0.955 * x - 0.15 * y;
      const int to_row = std::clamp<int>(std::lround(to_y) + rows / 2, 0, rows - 1);
      const int to_col = std::clamp<int>(std::lround(2 * to_x) + cols / 2, 0, cols - 1);
      wind.push_back(to_row * cols + to_col);
    }
  const std::vector<int> leaves = {
      5, 40, cols - 1, 17 * cols, 18 * cols - 1, 34 * cols, 34 * cols + 33, rows * cols - 6};
  checker::unobserved([&] {
    check(wind, leaves, steps, 32);
    const int n = static_cast<int>(leaves.size());
    const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(leaves);
    const auto d_trail = checker::poisoned<int>(n * steps);
    drift<<<blocks_for(n, 32), 32>>>(d_wind.data(), d_leaves.data(), n, steps, d_trail.data());
    std::vector<bool> cells(rows * cols);
    for (int place : d_trail.download())
      cells.at(place) = true;
    checker::note("A storm, and the trails of eight leaves that your kernel has followed:" +
                  checker::picture(cells, cols));
  });
}
