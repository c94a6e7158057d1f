/// @file
/// Right or wrong: poisoned outputs, comparisons that NaN cannot pass, tolerances with a source.
#pragma once

#include "common/buffer.hpp"

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace lab {

/// What a check found. `message` says what was wrong, in one line; it is empty when ok.
struct Verdict {
  bool ok = true;
  std::string message;

  static Verdict right() { return {}; }
  static Verdict wrong(std::string message) {
    return {false, static_cast<std::string &&>(message)};
  }
};

/// How far a value may lie from the expected one: |actual - expected| <= absolute +
/// relative * |expected|.
struct Tolerance {
  double absolute = 0.0;
  double relative = 0.0;
};

/// Not a bit of difference: integers, and floating point where no rounding is involved.
inline Tolerance exact() { return {}; }

/// Unit roundoff of T: 2^-24 for float, 2^-53 for double (IEEE 754, round to nearest).
template <class T> constexpr double unit_roundoff() {
  static_assert(std::is_same<T, float>::value || std::is_same<T, double>::value,
                "unit_roundoff: float or double");
  return std::is_same<T, float>::value ? 0x1p-24 : 0x1p-53;
}

/// gamma_k = k u / (1 - k u): the bound on the relative error of k roundings in a row.
/// Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Lemma 3.1.
/// Infinite where k u >= 1: there the bound says nothing.
double gamma(double k, double unit_roundoff);

/// For a result of `roundings` operations on exact inputs, none of which cancels.
/// Expected values must come from a computation at least twice as precise.
template <class T> Tolerance tolerance_for_operations(double roundings) {
  return {0.0, gamma(roundings, unit_roundoff<T>())};
}

/// For a sum of n terms of type T, added in any order, whose absolute values add up to `sum_abs`.
///
/// |error| <= gamma_(n-1) * sum |x_i| (Higham, eq. 4.4); sum_abs / |sum| is the condition of the
/// problem, which is why the tolerance is absolute and not a fixed number of digits.
template <class T> Tolerance tolerance_for_sum(std::size_t n, double sum_abs) {
  return {n < 2 ? 0.0 : gamma(static_cast<double>(n - 1), unit_roundoff<T>()) * sum_abs, 0.0};
}

/// The same for a sum of which no term passes through more than `depth` additions: a tree of
/// depth log2 n, or a loop of n / threads followed by a tree (Higham, eq. 4.6).
template <class T> Tolerance tolerance_for_tree_sum(std::size_t depth, double sum_abs) {
  return {gamma(static_cast<double>(depth), unit_roundoff<T>()) * sum_abs, 0.0};
}

/// True when `actual` may pass for `expected`. NaN passes only for NaN, an infinity only for
/// itself.
bool close(double actual, double expected, Tolerance tolerance);

/// Compares actual[0..n) with expected[0..n); the message holds the first mismatch.
///
/// @param width when not 0, the data is a matrix with rows of this many elements and the place is
///              given as (row, column)
/// Defined for int, unsigned, long long, unsigned long long, unsigned char, float and double.
/// Integers are compared exactly; a tolerance other than exact() is an error for them.
template <class T>
Verdict compare(const T *actual,
                const T *expected,
                std::size_t n,
                Tolerance tolerance = {},
                std::size_t width = 0);

/// The same for vectors; different sizes are a mismatch too.
template <class T>
Verdict compare(const std::vector<T> &actual,
                const std::vector<T> &expected,
                Tolerance tolerance = {},
                std::size_t width = 0);

/// Compares one value; `what` names it in the message.
template <class T>
Verdict compare_value(const char *what, T actual, T expected, Tolerance tolerance = {});

/// Fills device memory with a value that no correct program computes, so that an output left over
/// from the kernel before cannot pass: NaN for float and double, 0xCD bytes for everything else.
template <class T> void poison(T *d_data, std::size_t n) {
  const int byte = std::is_floating_point<T>::value ? 0xFF : 0xCD;
  if (n > 0)
    LAB_CHECK(cudaMemset(d_data, byte, n * sizeof(T)));
}

/// Whether the value is what poison() leaves. (A byte of it may as well be a result: of single bytes nobody knows.)
template <class T> bool is_poison(T value);

template <class T> void poison(DeviceBuffer<T> &buffer) { poison(buffer.data(), buffer.size()); }

} // namespace lab
