// Checks grid_stride.cu: every pair swapped, by a grid of any shape, once, and neighbours by neighbours.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cstdio>

__global__ void put_right(int *picture, int rows, int cols);

namespace {

/// Where number i of n belongs, if halves change places.
int across(int i, int n) {
  return i < n / 2 ? i + (n + 1) / 2 : i < (n + 1) / 2 ? i : i - (n + 1) / 2;
}

/// Whatever it shows, with its quarters crosswise.
std::vector<int> crosswise(const std::vector<int> &picture, int rows, int cols) {
  std::vector<int> crossed;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      crossed.push_back(picture[across(row, rows) * cols + across(col, cols)]);
  return crossed;
}

/// What a launch has left where it should have put a picture right.
struct Mended {
  const std::vector<int> &before, &got;
  std::vector<int> expected;
  int rows, cols;

  bool right(int row, int col) const { return got[row * cols + col] == expected[row * cols + col]; }
  bool untouched(int row, int col) const {
    return !right(row, col) && got[row * cols + col] == before[row * cols + col];
  }
  /// Whether each of the upper rows is as reached(row, col) says, right or untouched.
  template <class Reached> bool just(Reached &&reached) const {
    for (int row = 0; row < rows / 2; ++row)
      for (int col = 0; col < cols; ++col)
        if (!(reached(row, col) ? right(row, col) : untouched(row, col)))
          return false;
    return rows > 1;
  }
  /// Whether rows are right in the upper half, and their partners hold the same.
  bool doubled() const {
    bool upper = rows > 1 && cols > 0;
    for (int i = 0; i < rows / 2 * cols && upper; ++i)
      upper = got[i] == expected[i] &&
              got[across(i / cols, rows) * cols + across(i % cols, cols)] == got[i];
    return upper;
  }
  /// Whether upper and lower half have changed places, and each number has kept its column.
  bool rows_only() const {
    bool only = true;
    for (int i = 0; i < rows * cols && only; ++i)
      only = got[i] == before[across(i / cols, rows) * cols + i % cols];
    return only;
  }
  /// Whether all is right but the middle row, which is as it was.
  bool but_the_middle() const {
    const int from = rows / 2 * cols, to = from + cols;
    bool but = rows % 2 == 1;
    for (int i = 0; i < rows * cols && but; ++i)
      but = got[i] == (i >= from && i < to ? before[i] : expected[i]);
    return but;
  }
};

/// Stated of a case, as a mistake may be a race in the next one.
void expect_no(const std::string &diagnosis, bool holds, const std::string &text) {
  checker::expect(!holds, diagnosis, text);
}

/// \param swaps  made, of pairs; 0 if nobody has counted
void expect_mended(const std::string &what,
                   const Mended &is,
                   const dim3 &grid,
                   const dim3 &block,
                   std::uint64_t swaps) {
  if (is.got == is.expected)
    return;
  const int rows = is.rows, cols = is.cols, half = rows / 2;
  const int wide = static_cast<int>(grid.x * block.x), high = static_cast<int>(grid.y * block.y);
  const auto pairs = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) / 2;
  expect_no("middle_wrong",
            is.but_the_middle(),
            what + ": all is right but row " + std::to_string(half) +
                ", the middle one, which is as it was. Its halves change places, too" +
                (swaps > pairs ? ". Its pairs were swapped, and then swapped back: both columns of "
                                 "a pair lie in this row, and only one of them may swap"
                               : ", each pair once"));
  expect_no("swapped_back",
            is.got == is.before || swaps > pairs,
            what + ": " +
                (is.got == is.before ? "nothing seems to have happened"
                                     : "more is swapped than there are pairs") +
                ". A pair has two rows: whoever goes through all rows swaps it when the upper one "
                "comes, and back again when the lower one does");
  expect_no("not_kept",
            is.doubled(),
            what + ": the upper half is right, and the lower one is the same once more. Keep a "
                   "number in a variable before you overwrite it");
  expect_no("rows_only",
            half > 0 && cols > 1 && is.rows_only(),
            what + ": upper and lower half have changed places, left and right have not");
  const std::string threads = what + ": the grid is " + std::to_string(wide) +
                              " threads wide and " + std::to_string(high) + " high";
  const bool more_cols = wide < cols && half > 0 && is.untouched(0, wide);
  const bool more_rows = high < half && cols > 0 && is.untouched(high, 0);
  expect_no("one_direction",
            more_cols && more_rows && is.right(high, wide),
            threads + ". Row " + std::to_string(high) + ", column " + std::to_string(wide) +
                " was swapped, and what lies beside and above it was not: row and column go on "
                "together. Each row has all its columns: a loop within a loop");
  expect_no("first_round_only",
            more_cols && more_rows &&
                is.just([&](int row, int col) { return row < high && col < wide; }),
            threads + ", and nothing beside or below that was swapped; each thread does one pair "
                      "and stops");
  const bool first_rows = is.just([&](int row, int) { return row < high; });
  const bool first_cols = is.just([&](int, int col) { return col < wide; });
  expect_no("one_direction",
            (more_cols || more_rows) && is.right(0, 0),
            threads +
                (first_rows   ? ". Each thread's first row is complete, and the others are as they "
                                "were: is there a loop over the rows, too, by the grid's height, and "
                                "does the column "
                                "begin anew in each of them?"
                 : first_cols ? ". Each thread's first column is complete, and the others are as "
                                "they were: is there a loop over the columns, too, by the grid's "
                                "width, and does the "
                                "row begin anew in each of them?"
                              : std::string(", and nothing ") + (more_cols ? "beside" : "below") +
                                    " that was swapped: does each thread go on in both "
                                    "directions, and is each step the grid's own?"));
}

/// Why two threads have come to one pair; what is always true, if the race that was seen first does not tell.
std::string why_two(const std::optional<emu::Observation> &seen,
                    int rows,
                    int cols,
                    const dim3 &grid,
                    const dim3 &block) {
  const emu::Hazard *race = seen ? seen->find("global_race") : nullptr;
  int i = 0;
  const bool known =
      race && cols > 0 && std::sscanf(race->here.did.c_str(), "%*s picture[%d]", &i) == 1;
  if (known && rows % 2 == 1 && i / cols == rows / 2)
    return "This is row " + std::to_string(rows / 2) +
           ", the middle one: both columns of a pair lie in it, and only the left half of them may "
           "swap";
  if (known)
    for (const bool down : {false, true})
      for (const emu::HazardSide *side : {&race->here, &race->other}) {
        const int across_row = across(i / cols, rows), across_col = across(i % cols, cols);
        const bool lower = i > across_row * cols + across_col; // of its pair
        const int at = down ? (lower ? across_row : i / cols) : (lower ? across_col : i % cols);
        const int threads = static_cast<int>(down ? block.y : block.x);
        const int all = threads * static_cast<int>(down ? grid.y : grid.x);
        const int thread = static_cast<int>(side->thread[down]);
        const int begin = static_cast<int>(side->block[down]) * threads + thread;
        const std::string line = down ? "row " : "column ";
        const auto comes = [&](const std::string &who) {
          return who + " comes to " + line + std::to_string(at);
        };
        const std::string a_block = "Block " + std::to_string(side->block[down]),
                          a_thread = "Thread (" + std::to_string(side->thread[0]) + ", " +
                                     std::to_string(side->thread[1]) + ")";
        if (at == thread && begin > at)
          return comes(a_block) + ", where block 0 begins: each thread begins at its place in the "
                                  "whole grid";
        if (begin > at)
          return comes(a_thread) + ", in front of its own first one, " + std::to_string(begin) +
                 (down ? ": threads with another y have other rows"
                       : ": columns end at cols, and behind them the next row begins");
        if (at > begin && at < all)
          return comes(a_block) + " after a step of " + std::to_string(at - begin) +
                 ", and that is where another thread begins: the step is how many threads the "
                 "grid has in this direction, " +
                 std::to_string(all);
      }
  return "A pair must have one thread: each begins at its place in the whole grid, its step is how "
         "many threads the grid has in this direction, and rows end where the lower ones of the "
         "pairs begin, columns at cols, in a middle row at its middle";
}

std::optional<emu::Observation>
check(const std::vector<int> &before, int rows, int cols, const dim3 &grid, const dim3 &block) {
  const auto d_picture = checker::on_device(before);
  const std::string what =
      checker::shape(rows, cols) + " by " +
      (grid.x * grid.y == 1 ? "one block"
                            : std::to_string(grid.x) + " x " + std::to_string(grid.y) + " blocks") +
      " of " + std::to_string(block.x) + (block.y > 1 ? " x " + std::to_string(block.y) : "") +
      " threads";
  if (rows * cols <= 2000) { // at a copy, where that is soon done
    const auto d_copy = checker::on_device(before);
    const auto looked =
        lab::observe([&] { put_right<<<grid, block>>>(d_copy.data(), rows, cols); });
    checker::perhaps(why_two(looked, rows, cols, grid, block), "global_race");
    if (looked)
      checker::detail::report_hazards(what, *looked);
  }
  auto seen =
      checker::launch(what, [&] { put_right<<<grid, block>>>(d_picture.data(), rows, cols); });
  const auto got = d_picture.download();
  const Mended is{before, got, crosswise(before, rows, cols), rows, cols};
  expect_mended(
      what, is, grid, block, seen ? checker::total(*seen, emu::Access::global_store).lanes / 2 : 0);
  checker::expect_same(what, got, is.expected, {}, cols);
  return seen;
}

std::optional<emu::Observation> check(int rows, int cols, const dim3 &grid, const dim3 &block) {
  return check(checker::extreme_values<int>(rows * cols), rows, cols, grid, block);
}

} // namespace

TEST_CASE("one row of threads") { check(10, 64, 1, dim3(32, 1)); }

TEST_CASE("one block for everything") {
  checker::every_shape(16, [](int rows, int cols) {
    check(checker::random_values<int>(rows * cols, 0, 1 << 30), rows, cols, 1, dim3(8, 4));
  });
}

TEST_CASE("wide grids") {
  check(20, 100, dim3(3, 1), dim3(16, 2));
  check(33, 47, dim3(3, 1), dim3(16, 2));
}

TEST_CASE("high grids") {
  check(100, 20, dim3(1, 4), dim3(8, 4));
  check(47, 33, dim3(1, 4), dim3(8, 4));
}

TEST_CASE("more threads than elements") { check(20, 30, dim3(2, 3), dim3(16, 8)); }

TEST_CASE("blocks of 47 threads, and more of them than anybody has counted") {
  check(25, 40, dim3(1, 3), 47);
  checker::unobserved([] { check(130, 333, dim3(3, 100), dim3(47, 1)); });
}

TEST_CASE("neighbouring lanes take neighbouring elements") {
  const auto seen = check(64, 128, dim3(2, 1), dim3(32, 8));
  if (!seen)
    return;
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "32 neighbouring ints lie in 4 sectors. Here the lanes of a warp are far "
      "apart: do they go down the columns, or does each thread take a piece of its own?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}

TEST_CASE("all blocks have pairs, and many threads the middle row") {
  checker::unless_failed_before();
  if (const auto seen = check(65, 192, dim3(2, 3), dim3(32, 8)))
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}

TEST_CASE("pairs of 9 rows and 11 columns") {
  checker::unless_failed_before();
  int pairs = 0;
  for (int i = 0; i < 9 * 11; ++i)
    pairs += across(i / 11, 9) * 11 + across(i % 11, 11) > i;
  checker::record("pairs_of_9_by_11", pairs);
}

TEST_CASE("a picture in four quarters") {
  const std::vector<std::string> ship = {"   v                      .-.",
                                         "        v                (   )",
                                         "     v          |>        '-'",
                                         "                |\\",
                                         "               /| \\",
                                         "              / |  \\",
                                         "             /  |   \\",
                                         "            /   |    \\",
                                         "           /____|_____\\",
                                         "   _____________|____________,",
                                         "      \\  o   o   o   o   o /",
                                         "~~~~~~~\\__________________/~~~~~~~~~",
                                         "  ~  ~~~  ~~  ~   ~~   ~~~   ~  ~~"};
  const int rows = static_cast<int>(ship.size()), cols = 36;
  std::vector<int> right;
  for (std::string line : ship) {
    line.resize(cols, ' ');
    right.insert(right.end(), line.begin(), line.end());
  }
  const auto picture = crosswise(right, rows, cols);
  const auto d_picture = checker::on_device(picture);
  put_right<<<dim3(2, 1), dim3(8, 2)>>>(d_picture.data(), rows, cols);
  LAB_CHECK_LAUNCH();
  const auto got = d_picture.download();
  checker::expect_same("a picture in four quarters", got, right, {}, cols);
  std::string text = "It came so:";
  for (const auto &shown : {picture, got}) {
    for (int row = 0; row < rows; ++row) {
      text += '\n';
      text.append(shown.begin() + row * cols, shown.begin() + (row + 1) * cols);
      text.erase(text.find_last_not_of(' ') + 1);
    }
    text += shown == got ? "" : "\nYour kernel has made this of it:";
  }
  checker::note(text);
}
