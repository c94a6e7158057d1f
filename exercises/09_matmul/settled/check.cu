// Checks settled.cu: sums of equally many terms, and of nothing else, as long as there are any.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

__global__ void column_sums(const float *in, int rows, int cols, float *out);

namespace {

using Terms = std::vector<float>;

float as_they_come(const Terms &terms) {
  float sum = 0.0f;
  for (const float term : terms)
    sum += term;
  return sum;
}

// Kahan's loop, which settles after this many terms.
float by_kahan(const Terms &terms, int every) {
  float sum = 0.0f, owed = 0.0f;
  for (int i = 0; i < static_cast<int>(terms.size());) {
    do
      owed += terms[i];
    while (++i % every != 0 && i < static_cast<int>(terms.size()));
    const float next = sum + owed;
    owed = owed - (next - sum);
    sum = next;
  }
  return sum + owed;
}

enum class Slip { none, meets_once, stays, largest_alone };

// What is left of 2048, as it is meant to be played or with a slip.
float by_equals(const Terms &terms, Slip slip = Slip::none) {
  std::vector<std::pair<bool, float>> tiles(32); // is there one of 2^i terms? Its sum
  for (float tile : terms) {
    std::size_t size = 0;
    while (tiles[size].first && !(slip == Slip::meets_once && size > 0)) {
      tile += tiles[size].second;
      tiles[size].first = slip == Slip::stays;
      if (++size == tiles.size())
        return 0.0f;
    }
    tiles[size] = {true, tile};
  }
  float sum = 0.0f;
  for (const auto &[there, tile] : tiles)
    sum = !there ? sum : slip == Slip::largest_alone ? tile : sum + tile;
  return sum;
}

std::string digits(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::optional<emu::Observation> check(int rows, int cols, float low, int block = 64) {
  const auto h_in = checker::random_values<float>(static_cast<std::size_t>(rows) * cols, low, 1.0f);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(cols);
  const std::string what =
      checker::counted(rows, "row") + " and " + checker::counted(cols, "column");
  auto seen = checker::launch(what, [&] {
    column_sums<<<checker::enough_blocks(cols, block), block>>>(
        d_in.data(), rows, cols, d_out.data());
  });
  const auto got = d_out.download();
  std::vector<Terms> columns(cols);
  for (int i = 0; i < rows * cols; ++i)
    columns[i % cols].push_back(h_in[i]);
  // The first column that is not what this way of adding comes to; -1: all are
  const auto unlike = [&](auto way) {
    for (int col = 0; col < cols; ++col)
      if (got[col] != way(columns[col]))
        return col;
    return -1;
  };
  const int wrong = unlike([](const Terms &terms) { return by_equals(terms); });
  if (wrong < 0)
    return seen;
  const auto is = [&](auto way) { return unlike(way) < 0; };
  const auto is_slip = [&](Slip slip) {
    return is([&](const Terms &terms) { return by_equals(terms, slip); });
  };
  const auto expect_not = [&](bool holds, const char *diagnosis, const std::string &text) {
    checker::expect(!holds, diagnosis, what + ": " + text);
  };
  expect_not(
      rows == 1,
      "lone_term",
      "a sum of one term is this term, and something else came out. Before row 0 comes there "
      "is no tile: does the number of terms count the one that comes? And does the end look "
      "where its tile was laid?");
  expect_not(is(as_they_come),
             "as_they_come",
             "terms are added as they come, each to a sum of all before it: in the end a single "
             "term meets one of " +
                 std::to_string(rows - 1));
  for (const int every : {1, 64})
    expect_not(rows > 100 && is([&](const Terms &terms) { return by_kahan(terms, every); }),
               "by_kahan",
               "the sums are good, and they are Kahan's, settled after " +
                   checker::counted(every, "term") +
                   ". Equals need no correction: nothing is owed, and nothing subtracted");
  expect_not(is_slip(Slip::meets_once),
             "meets_once",
             "a term meets a tile of one term, and the two are laid on the place for tiles of two, "
             "whether there is one or not. What lay there is gone: it is the new tile's equal, and "
             "joins it");
  expect_not(
      is_slip(Slip::stays),
      "place_not_freed",
      "a tile that has become part of a larger one still counts: it is added again, when the "
      "next one comes by or when all that is left is added up");
  expect_not(is_slip(Slip::largest_alone),
             "largest_alone",
             "in the end the largest tile is stored, and the smaller ones that are left are "
             "forgotten");
  double worst = 0.0; // error, in units of 2^-24 of the sum of absolute values
  for (int col = 0; col < cols; ++col) {
    double sum = 0.0, sum_abs = 0.0;
    for (const double term : columns[col]) {
      sum += term;
      sum_abs += std::fabs(term);
    }
    const double off = std::fabs(got[col] - sum) / lab::unit_roundoff<float>();
    worst = std::max(worst, off <= rows * sum_abs ? off / sum_abs : 1e9);
  }
  const std::string got_instead = " (column " + std::to_string(wrong) + ": got " +
                                  digits(got[wrong]) + ", and the tiles come to " +
                                  digits(by_equals(columns[wrong])) + ')';
  expect_not(
      rows == 256 && worst >= 1e9,
      "pairs_alone",
      "one row and two are right, these sums are not, not even roughly. The second two become "
      "a tile of two terms, and there is one already: do these meet in turn, and so on until "
      "no equal is left?");
  checker::expect(worst < 1e9,
                  "wrong_result",
                  what + ": these are not the sums, not even roughly" + got_instead);
  checker::expect((rows & (rows - 1)) != 0,
                  "not_equals",
                  what +
                      ": the sums are right, roughly, and others than those of equals: a single "
                      "tile has to be left of so many rows, and each addition has two sums of "
                      "equally many terms" +
                      got_instead);
  checker::expect_at_most("error_in_roundings",
                          worst,
                          5.0,
                          "rest_as_it_comes",
                          what +
                              ": where the number of rows is a power of two the sums are "
                              "those of equals. Here some tiles are left, and terms are lost "
                              "among them: the greatest error in units of 2^-24 is that of a "
                              "long sum" +
                              got_instead);
  return seen;
}

} // namespace

TEST_CASE("floats do") {
  // The first column: what no float can hold, and less with the other sign. Who splits it may get the right sum out of
  // floats, but not each bit of the other columns.
  constexpr int rows = 128, cols = 64;
  Terms h_in = checker::random_values<float>(rows * cols, 0.0f, 1.0f);
  for (int row = 0; row < rows; ++row)
    h_in[row * cols] = row <= rows / 2 ? 0x1p122f : -0x1p122f;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(cols);
  checker::launch("sums that no float can hold",
                  [&] { column_sums<<<1, 64>>>(d_in.data(), rows, cols, d_out.data()); });
  const auto got = d_out.download();
  bool exact = true;
  for (int col = 0; col < cols; ++col) {
    double sum = 0.0;
    for (int row = 0; row < rows; ++row)
      sum += h_in[row * cols + col];
    exact = exact && got[col] == static_cast<float>(sum);
  }
  checker::expect(!exact,
                  "in_double",
                  "the sums are kept as double: of what no float can hold the right sum came out, "
                  "and of all else each bit");
}

TEST_CASE("a few rows") {
  checker::unless_failed_before();
  check(1, 1, 0.0f);
  check(2, 70, 0.0f);
  check(256, 70, 0.0f);
  check(3, 5, 0.0f);
  check(100, 97, 0.0f, 47);
  check(0, 5, 0.0f);
  for (int rows : checker::own_sizes(1, 1500, 2000))
    check(rows, 40, 0.5f);
}

TEST_CASE("many rows") {
  checker::unless_failed_before();
  if (const auto seen = check(512, 96, 0.5f, 32))
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  check(1023, 64, 0.5f);
}

TEST_CASE("terms of both signs") {
  checker::unless_failed_before();
  check(700, 32, -1.0f);
}

// In which tiles the terms of a column lie in the end, by the learner's kernel: of a giant, its opposite and ones each sum
// that the giant has gone through before it meets its opposite has lost its ones, so what is left of the ones tells in
// how large a sum the two have met.
std::string board(int rows) {
  const auto met = [&] {
    Terms h_in(static_cast<std::size_t>(rows) * rows * rows, 1.0f);
    for (int i = 0; i < rows * rows; ++i) {
      h_in[i / rows * rows * rows + i] = 0x1p100f;
      h_in[i % rows * rows * rows + i] = i / rows == i % rows ? 1.0f : -0x1p100f;
    }
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<float>(static_cast<std::size_t>(rows) * rows);
    column_sums<<<checker::enough_blocks(rows * rows, 64), 64>>>(
        d_in.data(), rows, rows * rows, d_out.data());
    return d_out.download();
  }();
  std::string text;
  for (int first = 0; first < rows;) {
    int size = 1; // of the tile that begins with this term: only equals come to a power of two
    for (int other = first + 1; other < rows; ++other)
      if (const int in = rows - static_cast<int>(met[first * rows + other]); (in & (in - 1)) == 0)
        size = std::max(size, in);
    const std::string terms = std::to_string(size);
    const std::size_t room = 4 * static_cast<std::size_t>(size) - 2;
    const std::size_t left = (room - terms.size() + 1) / 2;
    text +=
        "[" + std::string(left, ' ') + terms + std::string(room - left - terms.size(), ' ') + "]";
    first += size;
  }
  return text;
}

TEST_CASE("the board") {
  checker::unless_failed_before();
  checker::unobserved([] {
    std::string text = "Your board, behind each of 11 terms; the first one lies on the left:";
    for (int rows = 1; rows <= 11; ++rows)
      text += std::string(rows < 10 ? "\n   " : "\n  ") + std::to_string(rows) + " " + board(rows);
    checker::note(text);
  });
}

TEST_CASE("pi, in strips") {
  checker::unless_failed_before();
  checker::unobserved([] {
    std::string text = "Pi is the area under 4 / (1 + x^2) from 0 to 1. The more strips, the "
                       "better?\n    strips   as they come   as you play";
    for (const int strips : {16, 256, 4096, 65536, 131072}) {
      Terms h_in;
      for (int strip = 0; strip < strips; ++strip) {
        const double x = (strip + 0.5) / strips;
        h_in.push_back(static_cast<float>(4.0 / (1.0 + x * x) / strips));
      }
      const auto d_in = checker::on_device(h_in);
      const auto d_out = checker::poisoned<float>(1);
      column_sums<<<1, 32>>>(d_in.data(), strips, 1, d_out.data());
      const float tiles = by_equals(h_in), got = d_out.at(0);
      checker::expect(got == tiles,
                      "places_run_out",
                      checker::counted(strips, "row") + " and 1 column: the sum is " + digits(got) +
                          ", and the tiles come to " + digits(tiles) +
                          ". Shorter columns are right: here tiles grow to " +
                          checker::counted(strips, "term") +
                          ". Has each size of them a place of its own, up to the number of rows?");
      char line[80];
      std::snprintf(line, sizeof line, "\n%10d     %.7f     %.7f", strips, as_they_come(h_in), got);
      text += line;
    }
    checker::note(text);
  });
}
