// Checks eight_lanes.cu: the two largest numbers of rows of any length, and how much of what is read is used.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void
best_columns(const int *in, int rows, int cols, int *score, int *answer, int *second);

namespace {

constexpr int untouched = static_cast<int>(0xCDCDCDCDu); // lab::poison

// In turn: rows with equal scores, of negative ones, with both ends of int, and of a single one.
std::vector<int> scores_of(int rows, int cols) {
  auto all = checker::extreme_values<int>(rows * cols);
  const auto few = checker::random_values<int>(rows * cols, -9, 9);
  for (int i = 0; i < rows * cols; ++i) {
    const int kind = i / cols % 4;
    if (kind == 0)
      all[i] = few[i];
    else if (kind == 1)
      all[i] = few[i] - 10;
    else if (kind == 3)
      all[i] = INT_MIN;
  }
  for (int row = 4; row < rows && cols > 0; row += 8)
    all[row * cols + cols - 1] = 10; // the largest of all, where a loop may have ended
  return all;
}

/// The largest of each row, of the columns that count.
template <class Counts>
std::vector<int> largest(const std::vector<int> &in, int rows, int cols, Counts counts) {
  std::vector<int> best(rows, INT_MIN);
  for (int i = 0; i < rows * cols; ++i)
    if (counts(i % cols))
      best[i / cols] = std::max(best[i / cols], in[i]);
  return best;
}

void explain_scores(const std::string &what,
                    const std::vector<int> &in,
                    int cols,
                    const std::vector<int> &got,
                    const std::vector<int> &expected) {
  const int rows = static_cast<int>(got.size());
  const auto is_of = [&](auto &&counts) { return got == largest(in, rows, cols, counts); };
  std::vector<int> of_four(rows);
  bool zeros = true; // stand where a row has negative ones alone, and nothing else is wrong
  for (int row = 0; row < rows; ++row) {
    const int first = row / 4 * 4;
    of_four[row] =
        *std::max_element(expected.begin() + first, expected.begin() + std::min(rows, first + 4));
    zeros = zeros && got[row] == std::max(expected[row], 0);
  }
  const bool left_out = std::ranges::count(got, untouched) > 0;
  bool together = true; // a score that was stored is of four rows
  for (int row = 0; row < rows; ++row)
    together = together && (got[row] == of_four[row] || (got[row] == untouched && row % 4 != 0));
  checker::diagnose("four_rows_together",
                    together,
                    what + ": each score is the best of four rows: 32 lanes were asked, not 8" +
                        (left_out
                             ? ", and one of them has stored it. How many rows has a warp, and "
                               "whom does your group hold?"
                             : ""));
  checker::diagnose("rows_left_out",
                    left_out,
                    what +
                        ": some rows got no score at all: each tile has a lane that has to store");
  checker::diagnose("begins_with_zero",
                    zeros,
                    what + ": where all scores of a row are negative, 0 came out, which is none of "
                           "them. A lane has to begin with what is worse than any score, or with a "
                           "score");
  checker::diagnose("tail_dropped",
                    is_of([&](int col) { return col < cols / 8 * 8; }),
                    what + ": the last columns are missing, where cols is no multiple of 8");
  for (int most = 8; most < cols; most *= 2)
    checker::diagnose("tail_dropped",
                      is_of([&](int col) { return col < most; }),
                      what + ": each score is the largest of the first " + std::to_string(most) +
                          " columns. A row may have any number of them");
  checker::diagnose("lanes_apart",
                    cols > 8 && is_of([](int col) { return col % 8 == 0; }),
                    what + ": each score is the best that one lane of eight has seen. Nobody asks "
                           "the others");
}

/// The largest scores are right; of the first wrong column it is told what stands there.
void expect_columns(const std::string &what,
                    const std::vector<int> &in,
                    int cols,
                    const std::vector<int> &largest,
                    const std::vector<int> &got) {
  std::vector<int> expected;
  for (int row = 0; row < static_cast<int>(got.size()); ++row) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(row) * cols;
    expected.push_back(static_cast<int>(std::find(begin, begin + cols, largest[row]) - begin));
  }
  const int row = static_cast<int>(std::ranges::mismatch(got, expected).in1 - got.begin());
  bool no_first = true; // wrong is only where column 0 has it
  for (std::size_t r = 0; r < got.size(); ++r)
    no_first = no_first && (got[r] == expected[r] || expected[r] == 0);
  if (row < static_cast<int>(got.size())) {
    checker::diagnose(
        "begins_with_column_1",
        got[row] > 0 && got[row] < cols && no_first && std::ranges::count(got, 0) == 0,
        what + ": column 0 never has the largest score, also where it should. From which "
               "column on does lane 0 go?");
    const bool exists = got[row] >= 0 && got[row] < cols;
    const int there = exists ? in[row * cols + got[row]] : 0;
    const std::string which = what + ": in row " + std::to_string(row) + " the largest score, " +
                              std::to_string(largest[row]) + ", ",
                      column = std::to_string(got[row]);
    checker::diagnose("no_such_column",
                      !exists,
                      which + "is right, but its column is said to be " + column +
                          ", and there is none. What a lane begins with must not win against a "
                          "score");
    checker::diagnose("wrong_column",
                      exists && there != largest[row],
                      which + "is right, but column " + column + " came out with it, which holds " +
                          std::to_string(there) + ". A score and its column have to stay together");
    checker::diagnose("not_the_leftmost",
                      exists && there == largest[row],
                      which + "stands in column " + std::to_string(expected[row]) +
                          " already, and " + column +
                          " came out. Of two equal ones the columns decide, not which lane asks: "
                          "lane 0 may bring column 8, and lane 1 column 1");
  }
  checker::expect_same("columns of the largest scores of " + what, got, expected);
}

/// Scores and columns are right.
void expect_seconds(const std::string &what,
                    const std::vector<int> &in,
                    int cols,
                    const std::vector<int> &answer,
                    const std::vector<int> &got) {
  const auto largest_but = [&](auto counts) {
    std::vector<int> all(got.size(), INT_MIN);
    for (int i = 0; i < static_cast<int>(in.size()); ++i)
      if (i % cols != answer[i / cols] && counts(i % cols, answer[i / cols]))
        all[i / cols] = std::max(all[i / cols], in[i]);
    return all;
  };
  const auto expected = largest_but([](int, int) { return true; });
  bool never_more = true;
  for (std::size_t row = 0; row < got.size(); ++row)
    never_more = never_more && got[row] <= expected[row];
  checker::diagnose("second_of_the_winner",
                    got == largest_but([](int col, int best) { return (col - best) % 8 == 0; }),
                    what +
                        ": the second largest score is that of the lane that has seen the largest "
                        "one. What the other lanes have seen is lost, and their best may be it");
  bool best_again =
      got != expected; // each wrong one is the largest score, from the column that has it
  for (std::size_t row = 0; row < got.size(); ++row)
    best_again =
        best_again && (got[row] == expected[row] || got[row] == in[row * cols + answer[row]]);
  checker::diagnose("counted_twice",
                    best_again,
                    what +
                        ": the largest score is the second largest, too, where only one column has "
                        "it. Does more than one lane begin with the same column?");
  checker::diagnose("second_of_the_losers",
                    cols > 8 && never_more,
                    what + ": the second largest score is too small in some rows. Of two that know "
                           "two scores each, the second best may be on either side");
  checker::expect_same("second largest scores of " + what, got, expected);
}

std::optional<emu::Observation> check(int rows, int cols) {
  const auto h_in = scores_of(rows, cols);
  const auto d_in = checker::on_device(h_in);
  const auto d_score = checker::poisoned<int>(rows), d_answer = checker::poisoned<int>(rows),
             d_second = checker::poisoned<int>(rows);
  const std::string what = checker::elements(rows, "row") + " of " + std::to_string(cols);
  checker::perhaps(cols < 8
                       ? "A row has fewer columns here than a tile has lanes: what does a lane "
                         "without a column begin with?"
                       : "",
                   "out_of_bounds");
  auto seen = checker::launch(what, [&] {
    best_columns<<<checker::enough_blocks(rows, 16), 128>>>(
        d_in.data(), rows, cols, d_score.data(), d_answer.data(), d_second.data());
  });
  const auto score = d_score.download(), answer = d_answer.download();
  const auto expected = largest(h_in, rows, cols, [](int) { return true; });
  if (score != expected)
    explain_scores(what, h_in, cols, score, expected);
  checker::expect_same("largest scores of " + what, score, expected);
  expect_columns(what, h_in, cols, expected, answer);
  expect_seconds(what, h_in, cols, answer, d_second.download());
  return seen;
}

} // namespace

TEST_CASE("rows of 64") { check(64, 64); }

TEST_CASE("any number of columns") {
  checker::unless_failed_before();
  for (int cols : {8, 9, 7, 1, 33, 100})
    check(40, cols);
  for (int cols : checker::own_sizes(1, 1500, 2000))
    check(9, cols);
  checker::at_large_size([] { check(9, 1030); });
}

TEST_CASE("any number of rows") {
  checker::unless_failed_before();
  for (int rows : {1, 3, 16, 17, 31, 100, 0})
    check(rows, 20);
  for (int rows : checker::own_sizes(1, 700, 1000))
    check(rows, 9);
}

TEST_CASE("what is read is used") {
  const auto seen = check(64, 64);
  if (!seen && !checker::detail::can_measure())
    return;
  if (!seen) {
    const int rows = 1 << 21, cols = 64;
    const lab::DeviceBuffer<int> d_in(std::size_t{rows} * cols), d_score(rows), d_answer(rows),
        d_second(rows);
    LAB_CHECK(cudaMemset(d_in.data(), 1, d_in.bytes()));
    checker::expect_bandwidth(static_cast<double>(d_in.bytes()), lab::Ceiling::read, 0.4, [&] {
      best_columns<<<rows / 16, 128>>>(
          d_in.data(), rows, cols, d_score.data(), d_answer.data(), d_second.data());
    });
    return;
  }
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::record("global_load.sectors_per_request", loads.sectors_per_request());
  checker::record("bytes_used_percent_by_four", 100.0 * 4 * sizeof(int) / 32);
  checker::expect_at_least(
      "global_load.bytes_used_percent",
      loads.bytes_used_percent(),
      100.0,
      "uncoalesced",
      std::string("of the bytes that come from memory most are for nobody") +
          (loads.bytes_used_percent() < 13 ? ": each lane reads far from its neighbours" : "") +
          ". 8 lanes side by side read 32 bytes, one whole sector, in each step");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_at_most("loads_per_thread",
                          checker::accesses_per_thread(*seen, emu::Access::global_load),
                          9.0,
                          "whole_row_each",
                          "the results are right, but lanes load what another lane of their tile "
                          "has loaded: of 64 columns each lane has 8");
  checker::expect_masks_named(*seen);
}

TEST_CASE("twenty wells") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int width = 68, height = 20, wells = 20, places = width * height;
    const auto x = checker::random_values<int>(wells, 0, width - 1);
    const auto y = checker::random_values<int>(wells, 0, height - 1);
    std::vector<int> h_in;
    for (int place = 0; place < places; ++place)
      for (int well = 0; well < wells; ++well) {
        const int across = place % width - x[well], down = 2 * (place / width - y[well]);
        h_in.push_back(-across * across - down * down);
      }
    const auto d_in = checker::on_device(h_in);
    const auto d_score = checker::poisoned<int>(places), d_answer = checker::poisoned<int>(places),
               d_second = checker::poisoned<int>(places);
    best_columns<<<checker::enough_blocks(places, 16), 128>>>(
        d_in.data(), places, wells, d_score.data(), d_answer.data(), d_second.data());
    const auto score = d_score.download(), answer = d_answer.download(),
               second = d_second.download();
    std::string text = "Twenty wells, and to which of them each place belongs, by your kernel. "
                       "Nothing stands where another well is nearly as near:";
    for (int place = 0; place < places; ++place) {
      const bool border = std::sqrt(-second[place]) - std::sqrt(-score[place]) < 1.5;
      text += place % width == 0 ? "\n" : "";
      text += score[place] == 0 ? static_cast<char>('A' + answer[place] % 26)
              : border          ? ' '
                                : static_cast<char>('a' + answer[place] % 26);
    }
    checker::note(text);
  });
}
