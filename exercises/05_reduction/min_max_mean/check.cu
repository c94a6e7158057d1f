// Checks min_max_mean.cu: negative numbers, positive ones, both, and threads with nothing.
#include "checker/nasty.hpp"

struct Summary {
  float low;
  float high;
  float sum;
};

__global__ void summarise(const float *in, int n, Summary *out);

namespace {

// Few numbers, or such whose sums are exact.
std::optional<emu::Observation> check(const std::vector<float> &h_in, const std::string &range) {
  const std::size_t n = h_in.size();
  float low = INFINITY, high = -INFINITY, sum = 0.0f;
  for (float value : h_in) {
    low = std::fmin(low, value);
    high = std::fmax(high, value);
    sum += value;
  }
  const auto d_in = checker::on_device(h_in);
  const unsigned grid = 3;
  lab::DeviceBuffer<Summary> d_out(grid);
  LAB_CHECK(cudaMemset(d_out.data(), 0xFF, d_out.bytes()));
  const std::string what = checker::counted(n, "number") + range;
  auto seen = checker::launch(
      what, [&] { summarise<<<grid, 256>>>(d_in.data(), static_cast<int>(n), d_out.data()); });
  Summary all = {INFINITY, -INFINITY, 0.0f};
  bool any_nan = false, sum_nan = false;
  for (Summary block : d_out.download()) {
    any_nan = any_nan || std::isnan(block.low) || std::isnan(block.high);
    sum_nan = sum_nan || std::isnan(block.sum);
    all = {std::fmin(all.low, block.low), std::fmax(all.high, block.high), all.sum + block.sum};
  }
  checker::expect(!any_nan, "not_a_number", what + ": a summary has NaN for its low or its high");
  checker::expect(!sum_nan,
                  "not_a_number",
                  what +
                      ": a summary's sum is NaN. What a thread without an element brings is added, "
                      "and only 0 changes no sum");
  const auto explain = [&] {
    checker::diagnose("zero_is_no_identity",
                      (low > 0.0f && all.low == 0.0f) || (high < 0.0f && all.high == 0.0f),
                      what +
                          ": 0 is none of them, and yet it came out. Some thread has no element: "
                          "what does it bring to a minimum or a maximum?");
    checker::diagnose("low_for_high",
                      n > 0 && low < high && all.sum == sum &&
                          ((all.low == INFINITY && all.high == -INFINITY) ||
                           (all.low == high && all.high == low)),
                      what + ": the sum is right, but of two lows the larger is taken, and of two "
                             "highs the smaller. It has to be the other way round");
    const bool all_work = n >= 768; // no thread is without an element
    checker::diagnose("low_for_high",
                      all_work && all.high == -INFINITY && high > -INFINITY,
                      what + ": of two highs the smaller is taken: what a thread begins with");
    checker::diagnose("low_for_high",
                      all_work && all.low == INFINITY && low < INFINITY,
                      what + ": of two lows the larger is taken: what a thread begins with");
    checker::diagnose("small_is_not_low",
                      high < 0.0f && all.high > 0.0f && all.high < 1e-30f,
                      what + ": the maximum is above all of them. FLT_MIN is the smallest positive "
                             "number, not the lowest one");
    const bool below = all.low == -INFINITY && low > -INFINITY;
    checker::diagnose("infinity_came_out",
                      below || (all.high == INFINITY && high < INFINITY),
                      what + (below ? ": the minimum" : ": the maximum") +
                          " is infinite, and none of them is. A thread without an element brings "
                          "infinity as its low, and minus infinity as its high: one has got into "
                          "the other's place");
    checker::diagnose("not_beyond_all",
                      all.low < low || all.high > high,
                      what + ": " + (all.low < low ? "the minimum" : "the maximum") +
                          " is none of them, but what a thread brings that has no element. A float "
                          "can be larger, and lower, than that: infinities are floats, too");
  };
  if (n == 0) { // the largest float is as good as infinity
    checker::expect(all.low >= FLT_MAX && all.high <= -FLT_MAX && all.sum == 0.0f,
                    "something_of_nothing",
                    std::string("no numbers at all: ") +
                        (!(all.low >= FLT_MAX)     ? "the low is one that numbers may lie above"
                         : !(all.high <= -FLT_MAX) ? "the high is one that numbers may lie below"
                                                   : "the sum is not 0") +
                        ", so that this summary can change another one");
    return seen;
  }
  explain();
  checker::expect_same("minimum of " + what, all.low, low);
  explain();
  checker::expect_same("maximum of " + what, all.high, high);
  checker::expect_same("sum of " + what, all.sum, sum);
  return seen;
}

// Numbers in [from, to] with three digits behind the point in binary: their sums are exact.
std::optional<emu::Observation> check(int n, int from, int to) {
  std::vector<float> h_in;
  for (int number : checker::random_values<int>(n, from, to))
    h_in.push_back(static_cast<float>(number) / 8.0f);
  return check(h_in, " from " + std::to_string(from / 8) + " to " + std::to_string(to / 8));
}

} // namespace

TEST_CASE("numbers around zero") { check(1000, -800, 800); }

TEST_CASE("positive numbers") {
  for (int n : {1, 31, 255, 1025})
    check(n, 8, 800);
}

TEST_CASE("negative numbers") {
  for (int n : {1, 31, 255, 1025})
    check(n, -800, -8);
}

TEST_CASE("numbers beyond every other") {
  check({FLT_MAX}, ", the largest float");
  check({-FLT_MAX}, ", the lowest float");
}

TEST_CASE("infinities") { // of either sign: beyond them there is nothing
  check({INFINITY, INFINITY}, ", both plus infinity");
  check({-INFINITY}, ", minus infinity");
  check({0.0f, -0.0f}, ", zeros of either sign");
}

TEST_CASE("every thread takes its share") {
  if (const auto seen = check(6144, -800, 800)) { // eight for each thread: two loads of four, too
    checker::record("barriers_per_block", checker::barriers_per_block(*seen));
    checker::expect_lanes(*seen, emu::Access::global_load, 25.0);
  }
}

TEST_CASE("no numbers at all") { check({}, ""); }
