#include "common/compare.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
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
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value))
      return "NaN";
    if (std::isinf(value))
      return value < 0 ? "-infinity" : "infinity";
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, double(value));
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  }
  return text;
}

// What poison() leaves in memory. A byte of it may as well be a result.
template <class T> T poison_value() {
  T value;
  std::memset(&value, std::is_floating_point_v<T> ? 0xFF : 0xCD, sizeof value);
  return value;
}

// "got 4", or that there is nothing to be got. NaN stays NaN whatever is added to it.
template <class T> std::string got(T actual) {
  if (is_poison(actual))
    return std::is_floating_point_v<T> ? "got NaN, as if never written"
                                       : "but it was never written";
  if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits most = 1 << 20; // what sums and counts of a check come to
    const Bits added = static_cast<Bits>(actual) - static_cast<Bits>(poison_value<T>());
    if (added < most)
      return "got " + show(added) + " added to what was never written";
  }
  return "got " + show(actual);
}

// "expected 3, got 4", and by how much it is off where that says something.
template <class T> std::string expected_got(T actual, T expected, Tolerance tolerance) {
  std::string text = "expected " + show(expected) + ", " + got(actual);
  if (std::is_integral_v<T> && is_poison(expected))
    text = "nothing should have been written here, " + got(actual);
  if constexpr (std::is_floating_point_v<T>) {
    const double off = std::fabs(static_cast<double>(actual) - static_cast<double>(expected));
    const double allowed =
        tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(expected));
    char detail[96];
    std::snprintf(detail, sizeof detail, " (off by %.3g, allowed %.3g)", off, allowed);
    if (std::isfinite(off))
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

template <class T> bool is_poison(T value) {
  const T poison = poison_value<T>();
  return sizeof(T) > 1 && std::memcmp(&value, &poison, sizeof value) == 0;
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
Verdict compare(const std::vector<T> &actual,
                const std::vector<T> &expected,
                Tolerance tolerance,
                std::size_t width) {
  if (actual.size() != expected.size())
    return Verdict::wrong("expected " + std::to_string(expected.size()) + " elements, got " +
                          std::to_string(actual.size()));
  return compare(actual.data(), expected.data(), expected.size(), tolerance, width);
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
  template Verdict compare<T>( \
      const std::vector<T> &, const std::vector<T> &, Tolerance, std::size_t); \
  template Verdict compare_value<T>(const char *, T, T, Tolerance); \
  template bool is_poison<T>(T)
LAB_COMPARE_FOR(int);
LAB_COMPARE_FOR(unsigned);
LAB_COMPARE_FOR(long long);
LAB_COMPARE_FOR(unsigned long long);
LAB_COMPARE_FOR(unsigned char);
LAB_COMPARE_FOR(float);
LAB_COMPARE_FOR(double);
#undef LAB_COMPARE_FOR

} // namespace lab
