// Checks settled.cu: off by no more than a short sum is, and not at Kahan's full price.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

__global__ void column_sums(const float *in, int rows, int cols, float *out);

namespace {

// What Kahan's loop gives that is settled after each term.
float at_each_term(const std::vector<float> &in) {
  float sum = 0.0f, owed = 0.0f;
  for (const float value : in) {
    const float term = value - owed;
    const float next = sum + term;
    owed = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// What comes of short sums, row by row, of which each gets what is owed with the wrong sign.
float with_wrong_sign(const float *column, int rows, int cols) {
  float sum = 0.0f, owed = 0.0f;
  for (int row = 0; row < rows; row += 64) {
    float part = 0.0f;
    for (int r = row; r < row + 64 && r < rows; ++r)
      part += column[r * cols];
    const float term = part + owed;
    const float next = sum + term;
    owed = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// diagnosis, why: of sums that are off by more than short ones.
std::optional<emu::Observation>
check(int rows,
      int cols,
      float low,
      int block = 64,
      const char *diagnosis = "not_compensated",
      const std::string &why = ": the greatest error, in units of 2^-24 of the sum of absolute "
                               "values, is that of a long sum. What each addition of a short sum "
                               "to the long one rounds away has to be given to the next") {
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
  const double u = lab::unit_roundoff<float>();
  double worst = 0.0; // error, in u times the sum of absolute values
  const int whole = rows / 64 * 64; // rows of short sums that are full
  bool rest_missing = whole < rows;
  bool not_emptied = rows > 64; // short sums, when they are settled
  bool wrong_sign = true;
  int wrong = -1; // a column, the first one
  double its_sum = 0.0;
  for (int col = 0; col < cols; ++col) {
    double sum = 0.0, sum_abs = 0.0, sum_of_whole = 0.0, sum_of_all = 0.0;
    for (int row = 0; row < rows; ++row) {
      sum_of_whole = row == whole ? sum : sum_of_whole;
      sum += static_cast<double>(h_in[row * cols + col]);
      sum_abs += std::fabs(static_cast<double>(h_in[row * cols + col]));
      sum_of_all += row % 64 == 63 || row == rows - 1 ? sum : 0.0; // short sums that only grow
    }
    wrong_sign = wrong_sign && got[col] == with_wrong_sign(&h_in[col], rows, cols);
    const double off = std::fabs(got[col] - sum), allowed = lab::gamma(rows, u) * sum_abs;
    rest_missing = rest_missing && std::fabs(got[col] - sum_of_whole) <= allowed;
    not_emptied = not_emptied && std::fabs(got[col] - sum_of_all) <= 1e-4 * sum_abs;
    if (!(off <= allowed) && wrong < 0) {
      wrong = col;
      its_sum = sum;
    }
    worst = std::max(worst, sum_abs > 0.0 ? off / (u * sum_abs) : 0.0);
  }
  const std::string got_instead = wrong < 0 ? ""
                                            : " (column " + std::to_string(wrong) + ": got " +
                                                  std::to_string(got[wrong]) + ", expected " +
                                                  std::to_string(its_sum) + ')';
  checker::expect(wrong < 0 || !rest_missing,
                  "rest_missing",
                  what + ": the terms behind the last full 64 are missing, " +
                      checker::counted(rows - whole, "row") + " here" + got_instead);
  checker::expect(wrong < 0 || !not_emptied,
                  "not_begun_anew",
                  what +
                      ": each short sum still holds those before it, which are added again. "
                      "When one is settled, the next begins at 0" +
                      got_instead);
  checker::expect(
      wrong < 0, "wrong_result", what + ": these are not the sums, not even roughly" + got_instead);
  // A short sum of 64 terms is off by a few units of what it comes to; of many, most of that cancels.
  const double most = rows < 5000 ? 12.0 : 3.0;
  checker::expect(!(wrong_sign && worst > most),
                  "wrong_sign",
                  what + ": what is owed is taken with the wrong sign, so each error is made once "
                         "more instead of mended. Is it added, or subtracted?");
  checker::expect_at_most("error_in_roundings", worst, most, diagnosis, what + why);
  return seen;
}

// Terms that vanish beside the first one of a short sum, in whatever order it adds them up, and not in the loop that
// settles each.
void expect_short_sums() {
  std::vector<float> h_in(100 * 64, 0x1p-25f);
  for (std::size_t i = 0; i < h_in.size(); i += 64)
    h_in[i] = 1.0f;
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(1);
  checker::launch("a column of 6400 rows", [&] {
    column_sums<<<1, 32>>>(d_in.data(), static_cast<int>(h_in.size()), 1, d_out.data());
  });
  checker::expect(d_out.at(0) != at_each_term(h_in),
                  "each_term",
                  "nothing is lost, but each term is settled for itself: four additions for "
                  "one. A short sum of 64 terms can be settled as a whole");
}

} // namespace

TEST_CASE("short sums") {
  check(1, 1, 0.0f);
  check(64, 70, 0.0f);
  check(65, 3, 0.0f);
  check(100, 97, 0.0f, 47);
  check(0, 5, 0.0f);
}

TEST_CASE("floats do") {
  checker::unless_failed_before();
  // What no float can hold, then as much with the other sign: as a double it comes out finite.
  std::vector<float> h_in(129, 0x1p122f);
  std::fill(h_in.begin() + 64, h_in.begin() + 128, -0x1p122f);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(1);
  checker::launch("sums that no float can hold",
                  [&] { column_sums<<<1, 64>>>(d_in.data(), 129, 1, d_out.data()); });
  checker::expect(
      !std::isfinite(d_out.at(0)),
      "in_double",
      "the sums are right, but they are kept as double: what no float can hold came out "
      "finite");
}

TEST_CASE("long sums of terms of one sign") {
  checker::unless_failed_before();
  if (const auto seen = check(8000, 64, 0.5f))
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  check(8063,
        64,
        0.5f,
        64,
        "rest_not_settled",
        ": with 8000 rows the sums were right to a few units of 2^-24, and the 63 rows behind the "
        "last full short sum spoil that. They are a short sum as well: to be added up by itself, "
        "and then to the long one as one term");
  expect_short_sums();
}

TEST_CASE("long sums of terms of both signs") { check(5000, 32, -1.0f); }

TEST_CASE("pi, in strips") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int strips = 1 << 17;
    std::vector<float> h_in; // of the area under 4 / (1 + x^2) from 0 to 1
    float as_they_come = 0.0f;
    for (int strip = 0; strip < strips; ++strip) {
      const double x = (strip + 0.5) / strips;
      h_in.push_back(static_cast<float>(4.0 / (1.0 + x * x) / strips));
      as_they_come += h_in.back();
    }
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<float>(1);
    column_sums<<<1, 32>>>(d_in.data(), strips, 1, d_out.data());
    checker::note(
        "Pi is the area under 4 / (1 + x^2) from 0 to 1. In 131072 strips, as they come: " +
        std::to_string(as_they_come) + ". By your kernel: " + std::to_string(d_out.at(0)) + '.');
  });
}
