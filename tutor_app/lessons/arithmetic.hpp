#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

/// @file
/// Arithmetic as a lesson writes it: "(16.4 - 13.1) ms / 512", "2^30 B / 4.3 TB/s", "32 lines / 132 SMs".

namespace tutor::lessons {

/// A written number, and half a unit of its last digit.
struct Number {
  double value, half;
  bool share = true; ///< may be one of a hundred, and prove a percentage
};

/// How long the number is that begins at `at`: 16,384 or 1.98. 0 where there is no digit.
std::size_t number_length(std::string_view text, std::size_t at);

/// 16,384 and 1.98; with `rounded` the zeros at the end of 4300 may be rounding, down to two digits.
Number number_of(std::string_view text, bool rounded = false);

/// What lies between the two numbers that round to the one that is written.
struct Interval {
  double low, high;
};

/// The value of arithmetic, in seconds, bytes and hertz; nothing where `text` is something else.
/// `stated`: an outcome, in which whole numbers are rounded, too.
std::optional<Interval> value_of(std::string_view text, bool stated = false);

/// Whether `text` ends with the name of a unit, "ms" or "GB/s".
bool ends_with_unit(std::string_view text);

/// Letters, digits, and the bytes of letters beyond ASCII.
bool is_word(char c);

} // namespace tutor::lessons
