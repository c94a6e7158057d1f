// Checks grid_stride.cu: every element, by a grid of any shape, once, and neighbours by neighbours.
#include "checker/nasty.hpp"

#include <algorithm>
#include <bit>

__global__ void scale(const float *in, float factor, int rows, int cols, float *out);

namespace {

std::optional<emu::Observation>
check(const std::vector<float> &h_in, int rows, int cols, const dim3 &grid, const dim3 &block) {
  const int n = rows * cols;
  const float factor = checker::random_values<float>(1, 0.5f, 9.0f)[0];
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected;
  for (float value : h_in)
    expected.push_back(factor * value);

  const std::string what =
      checker::shape(rows, cols) + " by " +
      (grid.x * grid.y == 1 ? "one block"
                            : std::to_string(grid.x) + " x " + std::to_string(grid.y) + " blocks") +
      " of " + std::to_string(block.x) + " x " + std::to_string(block.y) + " threads";
  auto seen = checker::launch(
      what, [&] { scale<<<grid, block>>>(d_in.data(), factor, rows, cols, d_out.data()); });
  const auto got = d_out.download();
  const auto right = [&](int row, int col) {
    const std::size_t i = static_cast<std::size_t>(row) * cols + col;
    return std::bit_cast<unsigned>(got[i]) == std::bit_cast<unsigned>(expected[i]);
  };
  const int wide = static_cast<int>(grid.x * block.x), high = static_cast<int>(grid.y * block.y);
  const auto missing = [&](int row, int col) {
    return lab::is_poison(got[static_cast<std::size_t>(row) * cols + col]);
  };
  const bool more_cols = n > 0 && wide < cols && missing(0, wide);
  const bool more_rows = n > 0 && high < rows && missing(high, 0);
  // One loop for both directions, on and on from what is no thread's number in the grid.
  std::vector<bool> reached(n, false);
  for (int row = 0; row < high; ++row)
    for (int col = 0; col < wide; ++col)
      for (int i = row * cols + col; i < n; i += wide * high)
        reached[i] = true;
  bool along = false, not_along = false;
  for (int i = 0; i < n; ++i) {
    along = along || !reached[i];
    not_along = not_along || reached[i] != !missing(i / cols, i % cols);
  }
  const int left_out = static_cast<int>(std::ranges::find(reached, false) - reached.begin());
  checker::diagnose("counted_along",
                    along && !not_along,
                    what + ": nobody comes to element " + std::to_string(left_out) +
                        ". Each thread goes on by " + std::to_string(wide * high) +
                        ", as there are so many, but they do not begin at 0, 1, 2 and so on: row * "
                        "cols + col jumps "
                        "from one row of threads to the next. Two loops, one for each direction");
  const std::string threads = what + ": the grid is " + std::to_string(wide) +
                              " threads wide and " + std::to_string(high) + " high";
  const int across = static_cast<int>(block.x), down = static_cast<int>(block.y);
  checker::diagnose("begins_in_the_block",
                    n > 0 && right(0, 0) &&
                        ((across < cols && across < wide && !right(0, across)) ||
                         (down < rows && down < high && !right(down, 0))),
                    what + ": where the second block's threads should begin nothing was computed. "
                           "Each thread begins at its place in the whole grid, not in its block");
  bool first_rows = more_rows, first_cols = more_cols; // and nothing else
  for (int i = 0; i < n; ++i) {
    first_rows =
        first_rows && (i / cols < high ? right(i / cols, i % cols) : missing(i / cols, i % cols));
    first_cols =
        first_cols && (i % cols < wide ? right(i / cols, i % cols) : missing(i / cols, i % cols));
  }
  checker::diagnose("one_direction",
                    more_cols && more_rows && right(high, wide),
                    threads + ". Row " + std::to_string(high) + ", column " + std::to_string(wide) +
                        " was computed, and what lies beside and above it was not: row and column "
                        "go on together. Each row has all its columns: a loop within a loop");
  checker::diagnose("first_round_only",
                    more_cols && more_rows && right(0, 0),
                    threads + ", and nothing beside or below that was computed; each thread does "
                              "one element and stops");
  checker::diagnose(
      "one_direction",
      (more_cols || more_rows) && right(0, 0),
      threads + (first_rows   ? ". Each thread's first row is complete, and the others are "
                                "empty: is there a loop over the rows, too, and does the "
                                "column begin anew in each of them?"
                 : first_cols ? ". Each thread's first column is complete, and the others "
                                "are empty: is there a loop over the columns, too, and "
                                "does the row begin anew in each of them?"
                              : std::string(", and nothing ") + (more_cols ? "beside" : "below") +
                                    " that was computed: does each thread go on in both "
                                    "directions, and is each step the grid's own?"));
  checker::expect_same_bits(what, got, expected, cols);
  if (seen && n > 0)
    checker::expect_at_most(
        "elements_written_twice",
        static_cast<double>(checker::total(*seen, emu::Access::global_store).lanes) - n,
        0.0,
        "work_done_twice",
        what +
            ": elements are computed more than once. Each thread begins at its place in the whole "
            "grid; its step is how many threads the grid has in this direction");
  return seen;
}

std::optional<emu::Observation> check(int rows, int cols, const dim3 &grid, const dim3 &block) {
  return check(checker::extreme_values<float>(rows * cols), rows, cols, grid, block);
}

} // namespace

TEST_CASE("one block for everything") {
  checker::every_shape(16, [](int rows, int cols) {
    check(checker::random_values<float>(rows * cols, 1.0f, 2.0f), rows, cols, 1, dim3(8, 4));
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
      "32 neighbouring floats lie in 4 sectors. Here the lanes of a warp are far "
      "apart: do they go down the columns, or does each thread take a piece of its own?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
