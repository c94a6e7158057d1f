// Checks short_rows.cu: every number of columns, each number read once, and five rounds.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

__global__ void below_the_largest(const int *in, int rows, int cols, int *out);

namespace {

/// By how much each number falls short of the largest of so many: its own, and those behind it in the ring of its row.
/// @param turns  -1: those before it
std::vector<int> short_by(const std::vector<int> &in, int cols, int numbers, int turns = 1) {
  std::vector<int> result(in.size());
  for (int i = 0; i < static_cast<int>(in.size()); ++i) {
    int largest = in[i];
    for (int k = 1; k < std::min(numbers, cols); ++k)
      largest = std::max(largest, in[i - i % cols + (i % cols + turns * k + cols) % cols]);
    result[i] = largest - in[i];
  }
  return result;
}

// What comes where nobody asks beyond the row's end: the largest of a lane's own number and those on its right.
std::vector<int> short_by_right(const std::vector<int> &in, int cols) {
  std::vector<int> result(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    result[i] = *std::max_element(&in[i], &in[i - i % cols] + cols) - in[i];
  return result;
}

// What comes of asking the last lane of the row, or oneself, where lane ^ offset is beyond it.
std::vector<int> short_by_stand_in(const std::vector<int> &in, int cols, bool down, bool oneself) {
  std::vector<int> largest = in;
  for (int round = 0; round < 5; ++round) {
    const int offset = down ? 16 >> round : 1 << round;
    const std::vector<int> before = largest;
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
      const int lane = i % cols, other = lane ^ offset, instead = oneself ? lane : cols - 1;
      largest[i] = std::max(before[i], before[i - lane + (other < cols ? other : instead)]);
    }
  }
  for (std::size_t i = 0; i < in.size(); ++i)
    largest[i] -= in[i];
  return largest;
}

// What comes of rounds that begin with half the row, rounded down, and ask lane + offset, or lane ^ offset, in a ring.
std::vector<int> short_by_halves(const std::vector<int> &in, int cols, bool crosswise) {
  std::vector<int> largest = in;
  for (int offset = cols / 2; offset > 0; offset /= 2) {
    const std::vector<int> before = largest;
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
      const int lane = i % cols, other = (crosswise ? lane ^ offset : lane + offset) % cols;
      largest[i] = std::max(before[i], before[i - lane + other]);
    }
  }
  for (std::size_t i = 0; i < in.size(); ++i)
    largest[i] -= in[i];
  return largest;
}

// What comes of five shuffles that bring a lane's own number each, from those so far away.
std::vector<int> short_by_numbers(const std::vector<int> &in, int cols) {
  std::vector<int> result(in.size());
  for (int i = 0; i < static_cast<int>(in.size()); ++i) {
    int largest = in[i];
    for (int offset = 1; offset < 32; offset *= 2)
      largest = std::max(largest, in[i - i % cols + (i % cols + offset) % cols]);
    result[i] = largest - in[i];
  }
  return result;
}

std::optional<emu::Observation> check(int rows, int cols, int low, int high) {
  const auto h_in = checker::random_values<int>(rows * cols, low, high);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(rows * cols);
  const std::string what = checker::elements(rows, "row") + " of " + std::to_string(cols) +
                           (high < 0 ? " negative numbers" : " numbers");
  checker::perhaps(cols == 32
                       ? "Here cols is 32, and 1u << 32 is not defined. A mask of all lanes is "
                         "0xffffffff, and may name lanes that have left"
                       : "",
                   "undefined_shift");
  checker::perhaps(cols < 32 ? "Only lanes 0 to " + std::to_string(cols - 1) +
                                   " are still here: ask one of these, in each round another one"
                             : "",
                   "invalid_shuffle",
                   "asks for the value");
  auto seen = checker::launch(what, [&] {
    below_the_largest<<<checker::enough_blocks(rows, 4), 128>>>(
        d_in.data(), rows, cols, d_out.data());
  });
  const auto got = d_out.download(), expected = short_by(h_in, cols, cols);
  checker::diagnose("first_lane_only",
                    got != expected && got == short_by_right(h_in, cols),
                    what + ": each lane took the largest of the columns from its own on, so that "
                           "only lane 0 has that of the row. Every lane needs it");
  checker::diagnose("values_alone",
                    got != expected && got == short_by_numbers(h_in, cols),
                    what + ": each shuffle brought one number, `value` of the lane that was asked, "
                           "and five of them are six numbers with one's own. It has to bring the "
                           "largest that this lane knows by then");
  for (const bool crosswise : {true, false})
    checker::diagnose("rounds_of_halves",
                      got != expected && got == short_by_halves(h_in, cols, crosswise),
                      what +
                          ": the rounds begin with half of the row, which is rounded down each "
                          "time it is halved: some lanes never hear of some numbers. Offsets are "
                          "powers of two, for rows of any length");
  const auto deaf = std::ranges::mismatch(got, expected).in1 - got.begin();
  std::string unheard;
  if (deaf < rows * cols) {
    const auto row = h_in.begin() + deaf / cols * cols;
    unheard = "lane " + std::to_string(deaf % cols) + " of row " + std::to_string(deaf / cols) +
              " has not heard of the largest number, which is lane " +
              std::to_string(std::max_element(row, row + cols) - row) + "'s";
  }
  for (const bool down : {true, false}) {
    const bool oneself = got == short_by_stand_in(h_in, cols, down, true);
    const bool last = got == short_by_stand_in(h_in, cols, down, false);
    checker::diagnose(
        "stands_in",
        got != expected && (oneself || last),
        what + ": " + unheard + ". Where lane ^ offset is beyond the row, " +
            (!last      ? "a lane asks itself"
             : !oneself ? "the row's last one is asked"
                        : "somebody else is asked") +
            " instead, and what the missing lane would have passed on is lost. Whom could "
            "each lane ask in each round, so that nobody is ever missing?");
  }
  for (int numbers = 1; numbers < cols; ++numbers)
    for (const int turns : {1, -1})
      checker::diagnose("rounds_missing",
                        got != expected && got == short_by(h_in, cols, numbers, turns),
                        what + ": each lane knows the largest of " + std::to_string(numbers) +
                            " lanes. A round doubles how many it knows of, until these are all");
  checker::diagnose("largest_not_heard",
                    cols < 32 && !unheard.empty() && got[deaf] >= 0 && got[deaf] < expected[deaf],
                    what + ": " + unheard +
                        ". In each round every lane of the row has to make the call, and to ask "
                        "one that is here: who stays away has nothing to pass on");
  checker::expect_same(what, got, expected, {}, cols);
  if (seen) {
    checker::expect_at_most(
        "meetings_per_warp",
        checker::meetings_per_warp(*seen),
        5.0,
        "too_many_shuffles",
        what +
            ": each lane can have seen all numbers after five shuffles: each one doubles how many");
    const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
    checker::expect_at_most("global_load.requests_per_row",
                            static_cast<double>(loads.requests) / std::max(rows, 1),
                            1.0,
                            "read_again",
                            what + ": a warp needs one load for its row; the rest comes from "
                                   "other lanes");
  }
  return seen;
}

} // namespace

TEST_CASE("rows of 32") {
  if (const auto seen = check(12, 32, -1000, 1000))
    checker::expect_lanes(*seen, emu::Access::global_load, 32.0);
}

TEST_CASE("any number of columns") {
  for (int cols : {20, 31, 17, 16, 5, 2, 1})
    check(8, cols, -1000, 1000); // two blocks whose warps all have a row
  check(0, 5, -1000, 1000);
  for (int cols : checker::own_sizes(1, 32, 100))
    check(8, cols, -1000, 1000);
  for (int rows : checker::own_sizes(1, 700, 1000))
    check(rows, 5, -1000, 1000);
}

TEST_CASE("none above zero") {
  for (int cols : {20, 3, 32})
    check(5, cols, -2000, -1000);
  check(5, 7, -2'000'000'000, -1'500'000'000); // far from every number that could be meant as "low"
}

TEST_CASE("a valley") {
  constexpr int strips = 74, cols = 29;
  checker::unless_failed_before();
  checker::unobserved([] {
    const auto light = checker::random_values<int>(strips, -10000, 10000);
    const auto speckles = checker::random_values<int>(strips * cols, 0, 60);
    std::vector<int> h_in;
    for (int i = 0; i < strips * cols; ++i) {
      const int strip = i / cols;
      const double bank = 14.0 + 7.0 * std::sin(0.11 * strip) + 4.0 * std::sin(0.27 * strip + 1.0);
      h_in.push_back(light[strip] - 100 * static_cast<int>(std::abs(i % cols - bank)) -
                     speckles[i]);
    }
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<int>(h_in.size());
    below_the_largest<<<checker::enough_blocks(strips, 4), 128>>>(
        d_in.data(), strips, cols, d_out.data());
    const auto below = d_out.download();
    std::vector<bool> cells;
    for (int col = 0; col < cols; ++col)
      for (int strip = 0; strip < strips; ++strip)
        cells.push_back(below[strip * cols + col] < 250);
    checker::note(
        "A photograph from a plane, in 74 strips of 29 numbers, each with a brightness of its "
        "own. What your kernel finds near each strip's brightest:" +
        checker::picture(cells, strips));
  });
}

TEST_CASE("each number is read once, in five rounds") {
  int shuffles = 0;
  for (int known = 1; known < 9; known *= 2)
    ++shuffles;
  checker::record("shuffles_for_9_columns", shuffles);
  const auto seen = check(8, 20, -1000, 1000);
  if (!seen)
    return;
  checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
  checker::expect_masks_named(*seen);
  checker::expect_no_shared(*seen);
}
