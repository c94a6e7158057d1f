/// @file
/// Inputs at which answers break that are right for ordinary numbers: for checkers, a line each.
#pragma once

#include "checker/checker.hpp"

#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>

namespace checker {

/// n values of every kind: random bits, and among them both ends of T, zero, -1; of floats zeros of
/// either sign, infinities, the largest, the smallest and denormal ones, but no NaN. What only moves
/// values, or works on each for itself, has to be right for all of them.
template <class T> std::vector<T> extreme_values(std::size_t n) {
  std::vector<T> values;
  for (const unsigned bits : random_values<unsigned>(n, 0, ~0u)) {
    const T value = std::bit_cast<T>(bits);
    values.push_back(value == value ? value : T{}); // NaN is no number
  }
  std::vector<T> ends;
  if constexpr (std::is_same_v<T, float>)
    ends = {INFINITY, -0.0f, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 0.0f};
  else if constexpr (std::is_same_v<T, int>)
    ends = {INT_MIN, INT_MAX, 0, -1};
  else
    ends = {UINT_MAX, 0, 1u << 31, 1};
  // Both ends of the array get one: what lies beside an edge is what is mixed in by mistake.
  for (std::size_t k = 0; k < ends.size() && k < n; ++k)
    values[k % 2 == 0 ? k / 2 : n - 1 - k / 2] = ends[k];
  return values;
}

/// The same for two vectors of floats, bit by bit: -0 is not 0.
inline void expect_same_bits(const std::string &what,
                             const std::vector<float> &actual,
                             const std::vector<float> &expected,
                             std::size_t width = 0) {
  expect_same(what, actual, expected, {}, width);
  for (std::size_t i = 0; i < expected.size(); ++i)
    expect(std::signbit(actual[i]) == std::signbit(expected[i]),
           "sign_of_zero",
           what + ": element " + std::to_string(i) +
               " is 0, but of the other sign: " + (std::signbit(expected[i]) ? "-0" : "0") +
               " is right. Was something added to it on the way?");
}

/// Has the emulator play another device while it lives: so many multiprocessors, and so many KiB of
/// shared memory for a block that asks for them. An answer that holds only on one device is wrong on
/// another one. On a GPU there is the one that there is.
class PlayedDevice {
public:
  explicit PlayedDevice(int multiprocessors, int shared_kib = 163)
      : multiprocessors_("EMU_SMS", multiprocessors), shared_kib_("EMU_SHARED_KB", shared_kib) {}

private:
  class Variable {
  public:
    Variable(const char *name, int value) : name_(name) {
      if (const char *before = std::getenv(name))
        before_ = before;
      setenv(name, std::to_string(value).c_str(), 1);
    }
    ~Variable() {
      if (before_)
        setenv(name_, before_->c_str(), 1);
      else
        unsetenv(name_);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;

  private:
    const char *name_;
    std::optional<std::string> before_;
  };
  Variable multiprocessors_, shared_kib_;
};

} // namespace checker
