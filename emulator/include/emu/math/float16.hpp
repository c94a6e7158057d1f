/// \file
/// The 16-bit floating-point types. All arithmetic is done in double and rounded once.
#pragma once

#include "emu/language/letters_away.hpp"

#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

#include "emu/math/float16_rounding.hpp"
#include "emu/memory/atomics.hpp"
#include "emu/memory/memory_hints.hpp"

struct __half_raw {
  unsigned short x;
};
struct __nv_bfloat16_raw {
  unsigned short x;
};

namespace emu {

/// As a device converts: what lies beyond the type's range gives its nearest number, NaN gives 0,
/// or 2^63 for a type of 64 bits.
template <class T> inline T to_integer(double value) {
  constexpr int bits = 8 * sizeof(T) - std::is_signed_v<T>;
  constexpr double above = 0x1p1 * static_cast<double>(uint64_t{1} << (bits - 1));
  constexpr T greatest = static_cast<T>(~uint64_t{0} >> (64 - bits));
  constexpr T least = static_cast<T>(std::is_signed_v<T> ? ~greatest : 0);
  if (value != value)
    return sizeof(T) == 8 ? static_cast<T>(uint64_t{1} << 63) : T{0};
  if (value >= above)
    return greatest;
  return value <= static_cast<double>(least) ? least : static_cast<T>(value);
}

template <class Format> struct Float16 {
  using Raw = std::conditional_t<std::is_same_v<Format, HalfFormat>, __half_raw, __nv_bfloat16_raw>;

  Float16() = default;
  constexpr Float16(float value) : bits(round_to<Format>(value, Rounding::nearest_even)) {}
  constexpr Float16(double value) : bits(round_to<Format>(value, Rounding::nearest_even)) {}
  template <std::integral T>
  constexpr Float16(T value, Rounding rounding = Rounding::nearest_even)
      : bits(from_integer(value, rounding)) {}
  constexpr Float16(Raw raw) : bits(raw.x) {}

  constexpr operator float() const { return widen<Format>(bits); }
  template <std::integral T> operator T() const {
    return to_integer<T>(static_cast<double>(widen<Format>(bits)));
  }
  operator bool() const { return (bits & 0x7fff) != 0; }
  operator Raw() const { return {bits}; }

  static constexpr Float16 from_bits(unsigned bits) { return Raw{static_cast<uint16_t>(bits)}; }
  static constexpr Float16 rounded(double value, Rounding rounding = Rounding::nearest_even) {
    return from_bits(round_to<Format>(value, rounding));
  }
  static constexpr Float16 fused(Float16 a, Float16 b, Float16 c) {
    return from_bits(round_fused<Format>(a.wide(), b.wide(), c.wide()));
  }
  bool is_nan() const { return wide() != wide(); }
  constexpr double wide() const { return static_cast<double>(widen<Format>(bits)); }

  // Functions of the operands' type, found by it: arguments of other types convert.
  friend Float16 operator+(Float16 a, Float16 b) { return rounded(a.wide() + b.wide()); }
  friend Float16 operator-(Float16 a, Float16 b) { return rounded(a.wide() - b.wide()); }
  friend Float16 operator*(Float16 a, Float16 b) { return rounded(a.wide() * b.wide()); }
  friend Float16 operator/(Float16 a, Float16 b) { return rounded(a.wide() / b.wide()); }
  friend Float16 operator+(Float16 a) { return a; }
  friend Float16 operator-(Float16 a) { return from_bits(a.bits ^ 0x8000u); }
  friend Float16 &operator+=(Float16 &a, Float16 b) { return a = a + b; }
  friend Float16 &operator-=(Float16 &a, Float16 b) { return a = a - b; }
  friend Float16 &operator*=(Float16 &a, Float16 b) { return a = a * b; }
  friend Float16 &operator/=(Float16 &a, Float16 b) { return a = a / b; }
  friend Float16 &operator++(Float16 &a) { return a = a + Float16(1); }
  friend Float16 &operator--(Float16 &a) { return a = a - Float16(1); }
  friend Float16 operator++(Float16 &a, int) { return std::exchange(a, a + Float16(1)); }
  friend Float16 operator--(Float16 &a, int) { return std::exchange(a, a - Float16(1)); }
  friend bool operator==(Float16 a, Float16 b) { return a.wide() == b.wide(); }
  friend bool operator!=(Float16 a, Float16 b) { return a.wide() != b.wide(); }
  friend bool operator<(Float16 a, Float16 b) { return a.wide() < b.wide(); }
  friend bool operator<=(Float16 a, Float16 b) { return a.wide() <= b.wide(); }
  friend bool operator>(Float16 a, Float16 b) { return a.wide() > b.wide(); }
  friend bool operator>=(Float16 a, Float16 b) { return a.wide() >= b.wide(); }

  uint16_t bits;

private:
  // Through double, which holds integers of 53 bits; of longer ones the last place tells only
  // whether there was anything below it.
  template <class T> static constexpr uint16_t from_integer(T value, Rounding rounding) {
    const bool negative = value < 0;
    uint64_t magnitude =
        negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (magnitude >> 53)
      magnitude = (magnitude & ~uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
    const auto wide = static_cast<double>(magnitude);
    return round_to<Format>(negative ? -wide : wide, rounding);
  }
};

/// Two of them in 32 bits. Everything is done to both.
template <class Format> struct alignas(4) Float16x2 {
  using Number = Float16<Format>;

  Float16x2() = default;
  constexpr Float16x2(Number low, Number high) : x(low), y(high) {}

  friend Float16x2 operator+(Float16x2 a, Float16x2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Float16x2 operator-(Float16x2 a, Float16x2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Float16x2 operator*(Float16x2 a, Float16x2 b) { return {a.x * b.x, a.y * b.y}; }
  friend Float16x2 operator/(Float16x2 a, Float16x2 b) { return {a.x / b.x, a.y / b.y}; }
  friend Float16x2 operator+(Float16x2 a) { return a; }
  friend Float16x2 operator-(Float16x2 a) { return {-a.x, -a.y}; }
  friend Float16x2 &operator+=(Float16x2 &a, Float16x2 b) { return a = a + b; }
  friend Float16x2 &operator-=(Float16x2 &a, Float16x2 b) { return a = a - b; }
  friend Float16x2 &operator*=(Float16x2 &a, Float16x2 b) { return a = a * b; }
  friend Float16x2 &operator/=(Float16x2 &a, Float16x2 b) { return a = a / b; }
  // True if it holds for both.
  friend bool operator==(Float16x2 a, Float16x2 b) { return a.x == b.x && a.y == b.y; }
  friend bool operator!=(Float16x2 a, Float16x2 b) { return a.x != b.x && a.y != b.y; }
  friend bool operator<(Float16x2 a, Float16x2 b) { return a.x < b.x && a.y < b.y; }
  friend bool operator<=(Float16x2 a, Float16x2 b) { return a.x <= b.x && a.y <= b.y; }
  friend bool operator>(Float16x2 a, Float16x2 b) { return a.x > b.x && a.y > b.y; }
  friend bool operator>=(Float16x2 a, Float16x2 b) { return a.x >= b.x && a.y >= b.y; }

  Number x, y;
};

template <class Format> inline constexpr bool has_hinted_access<Float16<Format>> = true;
template <class Format> inline constexpr bool has_hinted_access<Float16x2<Format>> = true;

/// \name What the functions on these types are made of
/// @{
template <class Number> inline Number saturate(Number a) {
  return a.is_nan() || a < Number(0) ? Number(0) : a > Number(1) ? Number(1) : a;
}
template <class Number> inline Number without_negative(Number a) {
  return a.is_nan() ? Number::from_bits(0x7fff) : a < Number(0) ? Number(0) : a;
}
/// The greater of two; of a number and NaN the number; +0 is greater than -0.
template <class Number> inline Number greater_of(Number a, Number b) {
  if (a.is_nan())
    return b.is_nan() ? Number::from_bits(0x7fff) : b;
  if (b.is_nan() || a > b)
    return a;
  return a < b || (a.bits >> 15) != 0 ? b : a;
}
template <class Number> inline Number lesser_of(Number a, Number b) {
  const Number result = -greater_of(-a, -b);
  return result.is_nan() ? Number::from_bits(0x7fff) : result;
}
/// The integer next to a number.
inline double round_to_integer(double value, Rounding rounding) {
  return rounding == Rounding::nearest_even ? std::nearbyint(value)
         : rounding == Rounding::to_zero    ? std::trunc(value)
         : rounding == Rounding::down       ? std::floor(value)
                                            : std::ceil(value);
}
template <class T> inline T number_to_integer(auto a, Rounding rounding) {
  return to_integer<T>(round_to_integer(a.wide(), rounding));
}
/// @}

} // namespace emu

#include "emu/language/letters_back.hpp"
