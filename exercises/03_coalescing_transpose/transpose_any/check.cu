// Checks transpose_any.cu: every shape, both sides coalesced, one barrier, no bank conflict.
#include "checker/nasty.hpp"

#include <cmath>

__global__ void transpose(const float *in, int rows, int cols, float *out);

namespace {

/// Whether got is expected but for elements that were never written, of which there are some, and not all.
bool only_incomplete(const std::vector<float> &got, const std::vector<float> &expected) {
  bool some_missing = false, some_written = false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isnan(got[i]) && got[i] != expected[i])
      return false;
    (std::isnan(got[i]) ? some_missing : some_written) = true;
  }
  return some_missing && some_written;
}

/// Each tile turned, and put where it came from. For shapes that tiles fit.
std::vector<float> turned_in_place(const std::vector<float> &in, int edge) {
  std::vector<float> out(in.size());
  for (int row = 0; row < edge; ++row)
    for (int col = 0; col < edge; ++col) {
      const int to_row = row / 32 * 32 + col % 32, to_col = col / 32 * 32 + row % 32;
      out[static_cast<std::size_t>(to_row) * edge + to_col] =
          in[static_cast<std::size_t>(row) * edge + col];
    }
  return out;
}

std::optional<emu::Observation> check_values(int rows, int cols, const std::vector<float> &h_in) {
  const std::size_t n = h_in.size();
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected(n);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      expected[static_cast<std::size_t>(col) * rows + row] =
          h_in[static_cast<std::size_t>(row) * cols + col];

  const std::string what = checker::shape(rows, cols);
  checker::perhaps(
      rows == cols ? ""
                   : "Squares are right, and this is none: a row of `in` has cols elements, and a "
                     "row of `out` has rows. Which of the two do your indices use, and for which?");
  checker::perhaps(
      rows % 32 == 0 && cols % 32 == 0
          ? "Each word of the tile is to be stored before any is read. It has 32 rows, and the "
            "block "
            "8 rows of threads, so each thread stores four words: which rows are they in, and is "
            "one left out?"
          : "The tile hangs over the edge, and words of it belong to no element. A thread stores "
            "another element than it has loaded: does the test before the store look at the row "
            "and the column that are stored?",
      "uninitialised",
      "does not begin as zeros");
  const dim3 grid(checker::enough_blocks(cols, 32), checker::enough_blocks(rows, 32));
  auto seen = checker::launch(
      what, [&] { transpose<<<grid, dim3(32, 8)>>>(d_in.data(), rows, cols, d_out.data()); });
  const auto got = d_out.download();
  checker::diagnose("tiles_in_place",
                    rows == cols && rows % 32 == 0 && rows > 32 &&
                        got == turned_in_place(h_in, rows),
                    what + ": each tile is turned, and put where it came from. The tiles have to "
                           "change places, too");
  checker::diagnose("not_turned",
                    rows == 32 && cols == 32 && got == h_in,
                    what + ": the tile comes out as it went in: both halves of the kernel have the "
                           "same index of s_tile first. What came "
                           "in as a row of s_tile has to leave as a column");
  checker::diagnose("elements_missing",
                    only_incomplete(got, expected),
                    what + ": all that was written is right, but some elements were not written. A "
                           "thread writes another element than it has read: which test does that "
                           "one need?");
  checker::expect_same_bits("transpose of " + what, got, expected, rows);
  return seen;
}

std::optional<emu::Observation> check(int rows, int cols) {
  return check_values(
      rows, cols, checker::extreme_values<float>(static_cast<std::size_t>(rows) * cols));
}

} // namespace

TEST_CASE("one tile") { check_values(32, 32, checker::random_values<float>(32 * 32, 1.0f, 2.0f)); }

TEST_CASE("a square of tiles") { check(64, 64); }

TEST_CASE("every shape") {
  checker::unless_failed_before();
  checker::every_shape(32, check);
}

TEST_CASE("what it costs") {
  const auto seen = check(64, 64);
  if (!seen)
    return;
  checker::expect_cost_at_most(*seen,
                               emu::Access::global_load,
                               4.0,
                               "uncoalesced",
                               "a row of a tile is 4 sectors. The loads do not run along rows");
  checker::expect_cost_at_most(*seen,
                               emu::Access::global_store,
                               4.0,
                               "uncoalesced",
                               "a row of a tile is 4 sectors. The stores do not run along rows");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1.0,
      "bank_conflict",
      "33 words per row: a column of the tile lies in 32 banks, so one round is "
      "enough");
  checker::expect_at_most(
      "barriers_per_block",
      checker::barriers_per_block(*seen),
      1.0,
      "too_many_barriers",
      "one barrier between the loads of the whole tile and its stores is enough");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("40 rows and 100 columns") {
  checker::unless_failed_before();
  if (const auto seen = check(40, 100))
    checker::record("requests_of_40_by_100",
                    checker::total(*seen, emu::Access::global_store).requests);
}

TEST_CASE("a train on end") {
  const std::vector<std::string> drawn = {
      "             .  o  O  O  O  o  .                            ",
      "          o                                                 ",
      "         _n_    ______    ______________    ______________  ",
      "    ____|   |__|  __  |  |  __  __  __  |  |  __  __  __  | ",
      "   |           | |__| |  | |__||__||__| |  | |__||__||__| | ",
      "   |___________|______|==|______________|==|______________| ",
      "  /_(o)_(O)_(O)__(o)__/    (o)(o)  (o)(o)    (o)(o)  (o)(o) "};
  const int rows = static_cast<int>(drawn[0].size()), cols = static_cast<int>(drawn.size());
  std::vector<float> h_in;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      h_in.push_back(drawn[col][row]);
  checker::unless_failed_before();
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<float>(h_in.size());
    transpose<<<dim3(1, 2), dim3(32, 8)>>>(d_in.data(), rows, cols, d_out.data());
    const auto got = d_out.download();
    std::string text = "A train stood on end, 60 rows of 7 letters. Your kernel has put it on "
                       "its wheels:";
    for (int i = 0; i < rows * cols; ++i) {
      if (i % rows == 0)
        text += '\n';
      text += got[i] > 31 && got[i] < 127 ? static_cast<char>(got[i]) : '?';
    }
    checker::note(text);
  });
}
