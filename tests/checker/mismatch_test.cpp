// What wrong numbers look like: each diagnosis from numbers that have its looks, and none from others.
#include "checker/mismatch.hpp"

#include "checker/checker.hpp"
#include "checker/detail.hpp"
#include "checker/inputs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

namespace {

std::vector<std::string> offered; // the diagnoses, the first is the one that is told
checker::detail::LaunchShape last_shape;
bool meet = true; // the threads of that launch
bool by_host_code = false; // that launch
std::vector<std::vector<long double>> went_in;

} // namespace

// The checker's, which these tests do without.
namespace checker {
void diagnose(const std::string &diagnosis, bool holds, const std::string &text) {
  CHECK(!text.empty());
  if (holds)
    offered.push_back(diagnosis);
}
std::string counted(long long n, const std::string &thing) {
  return std::to_string(n) + ' ' + thing;
}
namespace detail {
std::string figure(double value) { return std::to_string(value); }
LaunchShape last_launch() { return last_shape; }
bool threads_meet() { return meet; }
bool launched_by_host_code() { return by_host_code; }
const std::vector<std::vector<long double>> &last_inputs() { return went_in; }
} // namespace detail
} // namespace checker

namespace {

using Numbers = std::vector<int>;
constexpr int n = 256; // four blocks of 64 threads

Numbers expected_numbers() {
  Numbers numbers(n);
  for (int i = 0; i < n; ++i)
    numbers[i] = (i * 7919 + 13) % 100003;
  return numbers;
}

int poison(int) {
  int value;
  std::memset(&value, 0xCD, sizeof value);
  REQUIRE(lab::is_poison(value));
  return value;
}

/// Numbers of which others, by their places, stand in some places.
template <class Where, class Value> auto with(Where where, Value value) {
  return [=](Numbers &got) {
    for (int i = 0; i < n; ++i)
      if (where(i))
        got[i] = value(i);
  };
}
auto from_to(int first, int last) {
  return [=](int i) { return first <= i && i < last; };
}
int nonsense(int i) { return -i * i; }

/// What is told of numbers that are made of the expected ones; "" if nothing.
template <class Change>
std::string
told(Change &&change, std::size_t width = 0, checker::detail::LaunchShape shape = {64, 4, 64, 1}) {
  last_shape = shape;
  offered.clear();
  const Numbers expected = expected_numbers();
  Numbers got = expected;
  change(got);
  checker::detail::explain("numbers",
                           checker::detail::mismatch_of(got, expected, lab::Tolerance(), width));
  return offered.empty() ? "" : offered.front();
}

std::string told_of(long double got, long double expected, std::vector<long double> input) {
  offered.clear();
  went_in = {std::move(input)};
  checker::detail::explain_number("sum", got, expected, lab::Tolerance());
  return offered.empty() ? "" : offered.front();
}

} // namespace

TEST_CASE("numbers that were never written") {
  const auto unwritten = [](int first, int last, checker::detail::LaunchShape shape) {
    return told(with(from_to(first, last), poison), 0, shape);
  };
  const checker::detail::LaunchShape usual{64, 4, 64, 1};
  CHECK(unwritten(0, n, usual) == "nothing_written");
  CHECK(unwritten(64, n, usual) == "first_block_only");
  CHECK(unwritten(200, n, usual) == "tail_not_written");
  CHECK(unwritten(100, 130, usual) == "partly_written");
  CHECK(unwritten(0, 30, usual) == "partly_written");
  CHECK(unwritten(100, n, {25, 4, 25, 1}) == "one_round_only");
  const auto behind_block = [](int i) { return i % 128 >= 32; }; // in two rounds
  CHECK(told(with(behind_block, poison), 0, {32, 4, 32, 1}) == "first_block_only");
  const auto outside = [](int i) { return i / 16 >= 8 || i % 16 >= 8; };
  CHECK(told(with(outside, poison), 16, {64, 4, 8, 8}) == "first_block_only");
}

TEST_CASE("numbers as far as a number of bytes reaches that should be one of elements") {
  const auto lacks = with(from_to(n / 4, n), poison);
  CHECK(told(lacks) == "first_block_only");
  by_host_code = true;
  CHECK(told(lacks) == "bytes_forgotten");
  CHECK(told([](Numbers &got) {
          std::transform(got.begin() + n / 8, got.end(), got.begin() + n / 8, std::negate{});
        }) == "bytes_forgotten");
  CHECK(told(with(from_to(100, n), poison)) == "tail_not_written");
  by_host_code = false;
}

TEST_CASE("floats that are right but for their last digits") {
  const std::vector<float> expected{0.1f, 2.5f, 1e20f, 7.0f, INFINITY};
  const auto told_of_floats = [&](std::vector<float> got) {
    offered.clear();
    checker::detail::explain("sums",
                             checker::detail::mismatch_of(got, expected, lab::Tolerance(), 0));
    return offered.empty() ? "" : offered.front();
  };
  CHECK(told_of_floats({0.10000001f, 2.5f, 1.0000001e20f, 7.0f, INFINITY}) == "rounded_otherwise");
  CHECK(told_of_floats({0.1f, 2.5f, 1e20f, 7.0000005f, INFINITY}) == "");
  CHECK(told_of_floats({0.1f, 2.6f, 1e20f, 7.0f, INFINITY}) == "");
  CHECK(told_of_floats({0.1f, 2.5f, 1e20f, 7.0f, 1.0f}) == "");
}

TEST_CASE("of a matrix, each bound belongs to the other direction") {
  const auto outside = [](int i) { return i / 32 >= 32 || i % 32 >= 8; }; // 8 rows of 32
  CHECK(told(with(outside, poison), 32) == "bounds_changed_about");
}

TEST_CASE("numbers in wrong places") {
  const Numbers expected = expected_numbers();
  const auto neighbour = [&](int apart) {
    return [&, apart](int i) { return expected[i + apart]; };
  };
  CHECK(told(with(from_to(1, n), neighbour(-1))) == "neighbour_left");
  CHECK(told(with(from_to(0, n - 1), neighbour(1))) == "neighbour_right");
  CHECK(told([](Numbers &got) { std::ranges::reverse(got); }) == "backwards");
  CHECK(told([](Numbers &got) { std::reverse(got.begin() + 9, got.begin() + 12); }) ==
        "part_backwards");
  const auto other_way = [&](int i) { return expected[i % 16 * 16 + i / 16]; };
  CHECK(told(with(from_to(0, n), other_way), 16) == "turned");
  CHECK(told([&](Numbers &got) { std::swap(got[10], got[77]); }) == "misplaced");
  CHECK(told([&](Numbers &got) { got[10] = got[77]; }).empty()); // by chance
  CHECK(told([&](Numbers &got) { std::fill(got.begin() + 3, got.end(), got[77]); }) ==
        "one_number");
}

TEST_CASE("numbers that are wrong alike") {
  CHECK(told([](Numbers &got) { std::ranges::fill(got, 0); }) == "all_zero");
  CHECK(told([](Numbers &got) { std::fill(got.begin() + 3, got.begin() + 90, 0); }) ==
        "left_at_zero");
  const auto wrong_at = [](int place) { return told([=](Numbers &got) { got[place] += 5; }); };
  for (const int place : {0, 1, n - 2, n - 1}) {
    went_in = {{}, {1, 2, 3}, std::vector<long double>(n, 0)}; // what the result begins as
    CHECK(wrong_at(place).empty());
    went_in.emplace_back(n, 0);
    went_in.back()[5] = 7;
    CHECK(wrong_at(place) == "wrong_at_the_end");
  }
  CHECK(wrong_at(2).empty());
  went_in.clear();
  CHECK(told([](Numbers &got) {
          for (int &value : got)
            value *= 3;
        }) == "multiplied");
  CHECK(told([](Numbers &got) {
          for (int &value : got)
            value += 1'000'000;
        }) == "off_by_constant");
  CHECK(told(with(from_to(128, n), nonsense)) == "right_in_first_block");
  CHECK(told(with([](int i) { return i % 64 == 5; }, nonsense)) == "one_thread_wrong");
  const auto wrong_at_ends = [](Numbers &got) {
    for (int i = 0; i < n; ++i)
      got[i] -= i % 64 < 3 || i % 64 > 60 ? 1 + i : 0;
  };
  CHECK(told(wrong_at_ends).empty()); // counts of an input that is longer: none lies beside another
  went_in.assign(1, std::vector<long double>(n, 0));
  went_in[0][5] = 7;
  CHECK(told(wrong_at_ends) == "wrong_at_block_ends");
}

TEST_CASE("sums of which one number is missing, or counts twice, in each block") {
  std::vector<long double> values(n * 64 - 10);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<long double>(i * i % 1013);
  const auto sums = [&](std::size_t without, std::size_t twice) {
    Numbers all(n, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
      all[i / 64] += static_cast<int>(values[i]) * (i % 64 == without ? 0
                                                    : i % 64 == twice ? 2
                                                                      : 1);
    return all;
  };
  const auto told_of_sums = [&](const Numbers &got) {
    offered.clear();
    went_in = {values};
    checker::detail::explain("sums",
                             checker::detail::mismatch_of(got, sums(n, n), lab::Tolerance(), 0));
    return offered.empty() ? "" : offered.front();
  };
  CHECK(told_of_sums(sums(63, n)) == "one_left_out");
  CHECK(told_of_sums(sums(0, n)) == "one_left_out");
  CHECK(told_of_sums(sums(n, 5)) == "one_twice");
  CHECK(told_of_sums(sums(63, 5)) == "");
  went_in.clear();
}

TEST_CASE("the same part of each so many numbers") {
  const auto wrong = [](auto where) { return with(where, [](int i) { return -1 - i * i; }); };
  CHECK(told(wrong([](int i) { return i % 32 >= 30; })) == "same_part_wrong");
  CHECK(told(wrong([](int i) { return i % 2 == 1; })) == "same_part_wrong");
  CHECK(told(wrong([](int i) { return i % 20 > 16; }), 20) == "same_part_wrong");
  CHECK(told(wrong([](int i) { return i % 20 > 16; })) == "");
  CHECK(told(wrong([](int i) { return i % 32 > 28 && i != 30; })) == "");
}

TEST_CASE("numbers that are right as far as rounds reach") {
  const auto large = [](int i) { return 200000 + i * i; };
  const auto wrong_from = [&](int of, int reach) {
    return told(with([=](int i) { return i % of >= reach; }, large));
  };
  CHECK(wrong_from(32, 1) == "reaches_no_further");
  CHECK(wrong_from(32, 16) == "reaches_no_further");
  CHECK(wrong_from(64, 32) == "reaches_no_further");
  CHECK(wrong_from(32, 3) == "");
  const auto but_one = [](int i) { return i % 64 >= 1 && i != 40; }; // which is right
  CHECK(told(with(but_one, large)) == "");
  CHECK(wrong_from(256, 16) == "");
  meet = false;
  CHECK(wrong_from(32, 16) == "same_part_wrong");
  meet = true;
}

TEST_CASE("sums with one number too few, or too many") {
  went_in = {{}};
  for (int i = 0; i < n; ++i)
    went_in[0].push_back(i * i % 977 + 1);
  const auto by = [](int apart, int sign) {
    return told([=](Numbers &got) {
      for (int i = 0; i < n; ++i)
        if (i + apart >= 0 && i + apart < n)
          got[i] += sign * static_cast<int>(went_in[0][static_cast<std::size_t>(i + apart)]);
    });
  };
  CHECK(by(4, -1) == "one_left_out");
  CHECK(by(0, -1) == "one_left_out");
  CHECK(by(-3, 1) == "one_too_many");
  CHECK(by(65, -1).empty());
  went_in.clear();
}

TEST_CASE("few numbers, each in many places, are in none of them") {
  std::vector<int> right, got;
  for (int i = 0; i < n; ++i) {
    right.push_back(10 * (i / 7 % 6));
    got.push_back(10 * (i * i % 11 % 6));
  }
  offered.clear();
  checker::detail::explain("", checker::detail::mismatch_of(got, right, lab::Tolerance(), 16));
  CHECK(offered.empty());
}

TEST_CASE("of numbers that look like nothing, nothing is told") {
  CHECK(told(with(from_to(0, n), [](int i) { return -i * i * 3 - 1; })).empty());
}

TEST_CASE("a count of what did not go in") {
  CHECK(told_of(57, 56, {}) == "off_by_one");
  CHECK(told_of(55, 56, {}) == "off_by_one");
  CHECK(told_of(112, 56, {}) == "multiplied");
  CHECK(told_of(14, 56, {}) == "divided");
  for (const long double no : {58.0L, 1.0L, 0.0L, -56.0L, 56.5L})
    CHECK(told_of(no, 56, {}).empty());
  CHECK(told_of(2, 1, {}).empty());
}

TEST_CASE("an extreme of the numbers that went in") {
  const std::vector<long double> input{3, -8, 41, 7};
  CHECK(told_of(-8, 41, input) == "other_extreme");
  CHECK(told_of(7, 41, input) == "passed_over");
  CHECK(told_of(40, 41, input) == "none_of_them");
}

TEST_CASE("a sum of the numbers that went in, or of their squares") {
  const std::vector<long double> input{3, 8, 41, 7};
  CHECK(told_of(11, 59, input) == "tail_not_added");
  CHECK(told_of(118, 59, input) == "added_several_times");
  CHECK(told_of(50, 59, input) == "too_little_added");
  CHECK(told_of(66, 59, input) == "too_much_added");
  CHECK(told_of(9 + 64, 9 + 64 + 1681 + 49, input) == "tail_not_added");
  CHECK(told_of(66, 60, input).empty());
}
