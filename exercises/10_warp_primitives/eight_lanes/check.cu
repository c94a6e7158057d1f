// Checks eight_lanes.cu: the largest number of rows of any length and its column, and how much of what is read is used.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void best_columns(const int *in, int rows, int cols, int *score, int *answer);

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
  bool first_eight = rows > 8; // of each 16, and no other, have got something
  bool zeros = true; // stand where a row has negative ones alone, and nothing else is wrong
  for (int row = 0; row < rows; ++row) {
    const int first = row / 4 * 4;
    of_four[row] =
        *std::max_element(expected.begin() + first, expected.begin() + std::min(rows, first + 4));
    first_eight = first_eight && (got[row] != untouched) == (row % 16 < 8);
    zeros = zeros && got[row] == std::max(expected[row], 0);
  }
  checker::diagnose("lane_for_tile",
                    first_eight,
                    what +
                        ": of each 16 rows only the first 8 got a score. thread_rank() is a lane's "
                        "number in its tile, 0 to 7; the tile's number among the block's 16 is "
                        "meta_group_rank(), and a row is a tile's");
  checker::diagnose("rows_left_out",
                    std::ranges::count(got, untouched) > 0,
                    what +
                        ": some rows got no score at all: each tile has a lane that has to store");
  checker::diagnose("begins_with_zero",
                    zeros,
                    what + ": where all scores of a row are negative, 0 came out, which is none of "
                           "them. A lane has to begin with what is worse than any score, or with a "
                           "score");
  checker::diagnose("four_rows_together",
                    got == of_four,
                    what + ": each score is the best of four rows: 32 lanes were asked, not 8");
  checker::diagnose("steps_of_a_warp",
                    cols > 32 && is_of([](int col) { return col % 32 < 8; }),
                    what + ": of each 32 columns only the first 8 were looked at: the lanes of a "
                           "tile of 8 go on by 8, not by 32");
  checker::diagnose("tail_dropped",
                    is_of([&](int col) { return col < cols / 8 * 8; }),
                    what + ": the last columns are missing, where cols is no multiple of 8");
  checker::diagnose("lanes_apart",
                    cols > 8 && is_of([](int col) { return col % 8 == 0; }),
                    what + ": each score is the best that one lane of eight has seen. Nobody asks "
                           "the others");
  checker::diagnose("half_a_tile",
                    cols > 8 && is_of([](int col) { return col % 8 < 4; }),
                    what +
                        ": of each 8 columns the last 4 are missing: as many lanes as go along a "
                        "row have to be in a tile");
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
  if (row < static_cast<int>(got.size())) {
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

std::optional<emu::Observation> check(int rows, int cols) {
  const auto h_in = scores_of(rows, cols);
  const auto d_in = checker::on_device(h_in);
  const auto d_score = checker::poisoned<int>(rows), d_answer = checker::poisoned<int>(rows);
  const std::string what = checker::elements(rows, "row") + " of " + std::to_string(cols);
  auto seen = checker::launch(what, [&] {
    best_columns<<<checker::enough_blocks(rows, 16), 128>>>(
        d_in.data(), rows, cols, d_score.data(), d_answer.data());
  });
  const auto score = d_score.download(), answer = d_answer.download();
  const auto expected = largest(h_in, rows, cols, [](int) { return true; });
  if (score != expected)
    explain_scores(what, h_in, cols, score, expected);
  checker::expect_same("largest scores of " + what, score, expected);
  expect_columns(what, h_in, cols, expected, answer);
  return seen;
}

} // namespace

TEST_CASE("rows of 64") { check(64, 64); }

TEST_CASE("any number of columns") {
  checker::unless_failed_before();
  for (int cols : {8, 9, 7, 1, 33, 100})
    check(40, cols);
}

TEST_CASE("any number of rows") {
  checker::unless_failed_before();
  for (int rows : {1, 3, 16, 17, 31, 100, 0})
    check(rows, 20);
}

TEST_CASE("what is read is used") {
  const auto seen = check(64, 64);
  if (!seen) {
    const int rows = 1 << 21, cols = 64;
    const lab::DeviceBuffer<int> d_in(std::size_t{rows} * cols), d_score(rows), d_answer(rows);
    LAB_CHECK(cudaMemset(d_in.data(), 1, d_in.bytes()));
    checker::expect_bandwidth(static_cast<double>(d_in.bytes()), lab::Ceiling::read, 0.4, [&] {
      best_columns<<<rows / 16, 128>>>(d_in.data(), rows, cols, d_score.data(), d_answer.data());
    });
    return;
  }
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::record("global_load.sectors_per_request", loads.sectors_per_request());
  checker::expect_at_least("global_load.bytes_used_percent",
                           loads.bytes_used_percent(),
                           100.0,
                           "uncoalesced",
                           "8 lanes side by side read 32 bytes, one whole sector, in each step");
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
    constexpr int width = 74, height = 24, wells = 20, places = width * height;
    const auto x = checker::random_values<int>(wells, 0, width - 1);
    const auto y = checker::random_values<int>(wells, 0, height - 1);
    std::vector<int> h_in;
    for (int place = 0; place < places; ++place)
      for (int well = 0; well < wells; ++well) {
        const int across = place % width - x[well], down = 2 * (place / width - y[well]);
        h_in.push_back(-across * across - down * down);
      }
    const auto d_in = checker::on_device(h_in);
    const auto d_score = checker::poisoned<int>(places), d_answer = checker::poisoned<int>(places);
    best_columns<<<checker::enough_blocks(places, 16), 128>>>(
        d_in.data(), places, wells, d_score.data(), d_answer.data());
    const auto score = d_score.download(), answer = d_answer.download();
    std::string text = "Twenty wells, and to which of them each place belongs, by your kernel:";
    for (int place = 0; place < places; ++place) {
      text += place % width == 0 ? "\n" : "";
      text += static_cast<char>((score[place] == 0 ? 'A' : 'a') + answer[place] % 26);
    }
    checker::note(text);
  });
}
