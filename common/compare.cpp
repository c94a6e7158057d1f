#include "common/compare.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

namespace lab {
namespace {

template <class T> bool equal_enough(T actual, T expected, Tolerance tolerance) {
  if constexpr (std::is_floating_point_v<T>)
    return close(static_cast<double>(actual), static_cast<double>(expected), tolerance);
  else
    return actual == expected;
}

template <class T> std::string show(T value) {
  char text[64];
  if constexpr (std::is_floating_point_v<T>)
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, double(value));
  else if constexpr (std::is_signed_v<T>)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  return text;
}

// "expected 3, got 4", and by how much it is off where that says something.
template <class T> std::string expected_got(T actual, T expected, Tolerance tolerance) {
  std::string text = "expected " + show(expected) + ", got " + show(actual);
  if constexpr (std::is_floating_point_v<T>) {
    const double allowed =
        tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(expected));
    char detail[96];
    std::snprintf(detail,
                  sizeof detail,
                  " (off by %.3g, allowed %.3g)",
                  std::fabs(static_cast<double>(actual) - static_cast<double>(expected)),
                  allowed);
    text += detail;
  }
  return text;
}

template <class T> void refuse_tolerance_for_integers(Tolerance tolerance) {
  if (!std::is_floating_point_v<T> && (tolerance.absolute != 0.0 || tolerance.relative != 0.0))
    throw Error(1, "lab::compare: integers are compared exactly; give no tolerance");
}

} // namespace

double gamma(double k, double unit_roundoff) {
  const double ku = k * unit_roundoff;
  return ku < 1.0 ? ku / (1.0 - ku) : std::numeric_limits<double>::infinity();
}

bool close(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(expected))
    return std::isnan(actual);
  // An infinite tolerance would let anything pass, an infinite value must be met exactly.
  if (std::isinf(expected) || std::isinf(actual))
    return actual == expected;
  // Written so that a NaN on either side of <= fails.
  return std::fabs(actual - expected) <=
         tolerance.absolute + tolerance.relative * std::fabs(expected);
}

template <class T>
Verdict
compare(const T *actual, const T *expected, std::size_t n, Tolerance tolerance, std::size_t width) {
  refuse_tolerance_for_integers<T>(tolerance);
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (!equal_enough(actual[i], expected[i], tolerance) && wrong++ == 0)
      first = i;
  if (wrong == 0)
    return Verdict::right();
  std::string place = "element " + std::to_string(first);
  if (width != 0)
    place = "row " + std::to_string(first / width) + ", column " + std::to_string(first % width);
  std::string message = place + ": " + expected_got(actual[first], expected[first], tolerance);
  message += "; " + std::to_string(wrong) + " of " + std::to_string(n) + " wrong";
  return Verdict::wrong(message);
}

template <class T>
Verdict compare_value(const char *what, T actual, T expected, Tolerance tolerance) {
  refuse_tolerance_for_integers<T>(tolerance);
  if (equal_enough(actual, expected, tolerance))
    return Verdict::right();
  return Verdict::wrong(std::string(what) + ": " + expected_got(actual, expected, tolerance));
}

#define LAB_COMPARE_FOR(T) \
  template Verdict compare<T>(const T *, const T *, std::size_t, Tolerance, std::size_t); \
  template Verdict compare_value<T>(const char *, T, T, Tolerance)
LAB_COMPARE_FOR(int);
LAB_COMPARE_FOR(unsigned);
LAB_COMPARE_FOR(long long);
LAB_COMPARE_FOR(unsigned long long);
LAB_COMPARE_FOR(unsigned char);
LAB_COMPARE_FOR(float);
LAB_COMPARE_FOR(double);
#undef LAB_COMPARE_FOR

} // namespace lab
