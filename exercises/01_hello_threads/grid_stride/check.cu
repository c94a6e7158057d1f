// Checks grid_stride.cu: every pair swapped, by a grid of any shape, once, and neighbours by neighbours.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cstdio>

__global__ void turn_over(int *picture, int rows, int cols);

namespace {

/// Whatever it shows, with its first row last.
std::vector<int> turned_over(const std::vector<int> &picture, int cols) {
  std::vector<int> turned;
  for (auto end = picture.end(); end != picture.begin(); end -= cols)
    turned.insert(turned.end(), end - cols, end);
  return turned;
}

/// What a launch has left where it should have turned a picture over.
struct Turned {
  const std::vector<int> &before, &got;
  std::vector<int> expected;
  int rows, cols;

  bool right(int row, int col) const { return got[row * cols + col] == expected[row * cols + col]; }
  bool untouched(int row, int col) const {
    return !right(row, col) && got[row * cols + col] == before[row * cols + col];
  }
  /// Whether each of the upper rows is as reached(row, col) says, turned or untouched.
  template <class Reached> bool just(Reached &&reached) const {
    for (int row = 0; row < rows / 2; ++row)
      for (int col = 0; col < cols; ++col)
        if (!(reached(row, col) ? right(row, col) : untouched(row, col)))
          return false;
    return rows > 1;
  }
  /// Whether rows are right in the upper half, and those that mirror them hold the same.
  bool doubled() const {
    bool upper = rows > 1 && cols > 0;
    for (int i = 0; i < rows / 2 * cols && upper; ++i)
      upper = got[i] == expected[i] && got[(rows - 1 - i / cols) * cols + i % cols] == got[i];
    return upper;
  }
};

/// Stated of a case, as a mistake may be a race in the next one.
void expect_no(const std::string &diagnosis, bool holds, const std::string &text) {
  checker::expect(!holds, diagnosis, text);
}

/// \param swaps  made, of pairs; 0 if nobody has counted
void expect_turned(const std::string &what,
                   const Turned &is,
                   const dim3 &grid,
                   const dim3 &block,
                   std::uint64_t swaps) {
  if (is.got == is.expected)
    return;
  const int rows = is.rows, cols = is.cols, half = rows / 2;
  const int wide = static_cast<int>(grid.x * block.x), high = static_cast<int>(grid.y * block.y);
  expect_no("swapped_back",
            is.got == is.before,
            what + ": nothing seems to have happened. A pair has two rows: whoever goes through "
                   "all rows swaps it when the upper one comes, and back again when the lower one "
                   "does");
  expect_no("not_kept",
            is.doubled(),
            what + ": the upper half is right, and the lower one is the same once more. Keep a "
                   "number in a variable before you overwrite it");
  expect_no("half_turn",
            half > 0 && cols > 1 && std::equal(is.got.begin(), is.got.end(), is.before.rbegin()),
            what + ": this is turned by half, left and right have changed about, too. Each number "
                   "stays in its column");
  expect_no("middle_wrong",
            is.just([&](int row, int) { return row < half - 1; }),
            what + ": all is right but the two rows in the middle, which are as they were: " +
                (swaps > static_cast<std::uint64_t>(half) * cols
                     ? "swapped, and then swapped back. Which row is the last upper one of a pair?"
                     : "left out. Which rows are the upper ones of a pair?"));
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
  if (race && std::sscanf(race->here.did.c_str(), "%*s picture[%d]", &i) == 1 && cols > 0)
    for (const bool down : {false, true})
      for (const emu::HazardSide *side : {&race->here, &race->other}) {
        const int at = down ? std::min(i / cols, rows - 1 - i / cols) : i % cols;
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
         "pairs begin, columns at cols";
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
        lab::observe([&] { turn_over<<<grid, block>>>(d_copy.data(), rows, cols); });
    checker::perhaps(why_two(looked, rows, cols, grid, block), "global_race");
    if (looked)
      checker::detail::report_hazards(what, *looked);
  }
  auto seen =
      checker::launch(what, [&] { turn_over<<<grid, block>>>(d_picture.data(), rows, cols); });
  const auto got = d_picture.download();
  const Turned is{before, got, turned_over(before, cols), rows, cols};
  expect_turned(
      what, is, grid, block, seen ? checker::total(*seen, emu::Access::global_store).lanes / 2 : 0);
  checker::expect_same(what, got, is.expected, {}, cols);
  return seen;
}

std::optional<emu::Observation> check(int rows, int cols, const dim3 &grid, const dim3 &block) {
  return check(checker::extreme_values<int>(rows * cols), rows, cols, grid, block);
}

} // namespace

TEST_CASE("one row of threads") { check(10, 70, 1, dim3(32, 1)); }

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

TEST_CASE("a picture from a file") {
  const std::vector<std::string> file = {"  ~  ~~~  ~~  ~   ~~   ~~~   ~  ~~",
                                         "~~~~~\\______________________/~~~~~~",
                                         "      \\  o   o   o   o   o /",
                                         "   _____________|____________,",
                                         "           /____|_____\\",
                                         "            /   |    \\",
                                         "             /  |   \\",
                                         "              / |  \\",
                                         "               /| \\",
                                         "                |\\",
                                         "     v          |>        .-.",
                                         "        v                (   )",
                                         "   v                      '-'"};
  const int rows = static_cast<int>(file.size()), cols = 36;
  std::vector<int> picture;
  for (std::string line : file) {
    line.resize(cols, ' ');
    picture.insert(picture.end(), line.begin(), line.end());
  }
  const auto d_picture = checker::on_device(picture);
  turn_over<<<dim3(2, 1), dim3(8, 2)>>>(d_picture.data(), rows, cols);
  LAB_CHECK_LAUNCH();
  const auto got = d_picture.download();
  checker::expect_same("a picture from a file", got, turned_over(picture, cols), {}, cols);
  std::string text = "The ship that came keel up:";
  for (int row = 0; row < rows; ++row) {
    text += '\n';
    text.append(got.begin() + row * cols, got.begin() + (row + 1) * cols);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  checker::note(text);
}
