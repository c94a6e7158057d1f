// A comparison earns its place by what it refuses: most cases here are wrong answers.
#include "common/compare.hpp"
#include "common/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const lab::Tolerance generous{1e30, 1e30};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

float sum_float(const std::vector<float> &values) {
  float sum = 0.0f;
  for (float value : values)
    sum += value;
  return sum;
}

double sum_double(const std::vector<float> &values) {
  double sum = 0.0;
  for (float value : values)
    sum += static_cast<double>(value);
  return sum;
}

} // namespace

TEST_CASE("NaN passes for NaN alone, whatever the tolerance") {
  CHECK_FALSE(lab::close(nan_value, 1.0, generous));
  CHECK_FALSE(lab::close(1.0, nan_value, generous));
  CHECK(lab::close(nan_value, nan_value, lab::exact()));
}

TEST_CASE("a NaN tolerance lets nothing pass") {
  CHECK_FALSE(lab::close(1.0, 2.0, {nan_value, 0.0}));
  CHECK_FALSE(lab::close(1.0, 1.0, {nan_value, 0.0}));
}

TEST_CASE("an infinity passes for itself alone") {
  CHECK_FALSE(lab::close(infinity, 1.0, generous));
  CHECK_FALSE(lab::close(1.0, infinity, {infinity, infinity}));
  CHECK_FALSE(lab::close(-infinity, infinity, generous));
  CHECK(lab::close(infinity, infinity, lab::exact()));
}

TEST_CASE("a tolerance is a bound, met exactly but not exceeded") {
  CHECK(lab::close(1.5, 1.0, {0.5, 0.0}));
  CHECK_FALSE(lab::close(std::nextafter(1.5, 2.0), 1.0, {0.5, 0.0}));
  CHECK(lab::close(110.0, 100.0, {0.0, 0.1}));
  CHECK_FALSE(lab::close(111.0, 100.0, {0.0, 0.1}));
}

TEST_CASE("one corrupted element is found wherever it is") {
  for (std::size_t n : {1u, 31u, 33u, 1025u})
    for (std::size_t bad : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<unsigned> expected(n);
      lab::fill_random(expected.data(), n, 7);
      std::vector<unsigned> actual = expected;
      CHECK(lab::compare(actual, expected).ok);
      actual[bad] ^= 1u << 31;
      const lab::Verdict verdict = lab::compare(actual, expected);
      CHECK_FALSE(verdict.ok);
      CHECK(contains(verdict.message, "element " + std::to_string(bad) + ":"));
      CHECK(contains(verdict.message, "1 of " + std::to_string(n) + " wrong"));
    }
}

TEST_CASE("the message holds the first mismatch, its coordinates and how many there are") {
  std::vector<float> expected(12, 1.0f), actual = expected;
  actual[7] = 3.0f;
  actual[9] = static_cast<float>(nan_value);
  const lab::Verdict verdict = lab::compare(actual, expected, {0.5, 0.0}, 4);
  CHECK(contains(verdict.message, "row 1, column 3: expected 1, got 3"));
  CHECK(contains(verdict.message, "2 of 12 wrong"));
}

TEST_CASE("what nobody has written is called so, and NaN and infinities by their names") {
  const auto said = [](auto actual, auto expected) {
    return lab::compare_value("x", actual, expected).message;
  };
  CHECK(said(static_cast<int>(0xCDCDCDCD), 3) == "x: expected 3, but it was never written");
  CHECK(said(0xCDCDCDCDu + 317, 3u) == "x: expected 3, got 317 added to what was never written");
  CHECK(said(3u, 0xCDCDCDCDu) == "x: nothing should have been written here, got 3");
  CHECK(said(0xCDCDCDCDu - 1, 3u) == "x: expected 3, got 3452816844");
  CHECK(said(static_cast<unsigned char>(0xCD), static_cast<unsigned char>(3)) ==
        "x: expected 3, got 205");
  lab::DeviceBuffer<float> d_float(1);
  lab::poison(d_float);
  CHECK(said(d_float.download()[0], 3.0f) == "x: expected 3, got NaN, as if never written");
  CHECK(said(nan_value, 3.0) == "x: expected 3, got NaN");
  CHECK(said(-infinity, infinity) == "x: expected infinity, got -infinity");
}

TEST_CASE("a wrong size is a mismatch") {
  CHECK_FALSE(lab::compare(std::vector<int>(3), std::vector<int>(4)).ok);
  CHECK_FALSE(lab::compare(std::vector<int>(4), std::vector<int>(3)).ok);
  CHECK(lab::compare(std::vector<int>(), std::vector<int>()).ok);
}

TEST_CASE("integers take no tolerance") {
  CHECK_THROWS_AS(lab::compare_value("x", 1, 2, {5.0, 0.0}), lab::Error);
  CHECK_FALSE(lab::compare_value("x", 1, 2).ok);
  CHECK(lab::compare_value("x", -1LL, -1LL).ok);
}

TEST_CASE("gamma is Higham's, and says nothing where it says nothing") {
  CHECK(lab::gamma(0, 0x1p-24) == 0.0);
  CHECK(lab::gamma(1, 0x1p-24) == doctest::Approx(0x1p-24));
  CHECK(std::isinf(lab::gamma(0x1p24, 0x1p-24)));
  CHECK(lab::tolerance_for_sum<float>(0, 1.0).absolute == 0.0);
  CHECK(lab::tolerance_for_sum<float>(1, 1.0).absolute == 0.0);
}

TEST_CASE("the tolerance of a sum takes in every order of adding, and refuses a missing term") {
  for (std::size_t n : {2u, 1000u, 4096u}) {
    std::vector<float> values(n);
    lab::fill_random(values.data(), n, 11, 0.5f, 1.5f);
    const double exact = sum_double(values);
    const lab::Tolerance tolerance = lab::tolerance_for_sum<float>(n, exact);
    CHECK(lab::close(static_cast<double>(sum_float(values)), exact, tolerance));
    std::vector<float> backwards(values.rbegin(), values.rend());
    CHECK(lab::close(static_cast<double>(sum_float(backwards)), exact, tolerance));
    values.pop_back();
    CHECK_FALSE(lab::close(static_cast<double>(sum_float(values)), exact, tolerance));
  }
}

TEST_CASE("a tree's tolerance is tighter than a chain's") {
  CHECK(lab::tolerance_for_tree_sum<float>(20, 1.0).absolute <
        lab::tolerance_for_sum<float>(1 << 20, 1.0).absolute / 1000.0);
}

TEST_CASE("poisoned outputs cannot pass: a kernel that writes nothing is wrong") {
  lab::DeviceBuffer<float> d_float(5);
  lab::poison(d_float);
  for (float value : d_float.download())
    CHECK(std::isnan(value));
  CHECK_FALSE(lab::compare(d_float.download(), std::vector<float>(5, 0.0f), generous).ok);

  lab::DeviceBuffer<double> d_double(5);
  lab::poison(d_double);
  for (double value : d_double.download())
    CHECK(std::isnan(value));

  lab::DeviceBuffer<unsigned> d_int(5);
  lab::poison(d_int);
  for (unsigned value : d_int.download())
    CHECK(value == 0xCDCDCDCDu);
}
