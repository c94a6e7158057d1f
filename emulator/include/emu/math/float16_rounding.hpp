/// \file
/// Rounding to 16-bit floating-point numbers, and back.
#pragma once

#include <cstdint>

namespace emu {

/// IEEE 754's binary16: CUDA's half.
struct HalfFormat {
  static constexpr int fraction_bits = 10;
  static constexpr int exponent_bits = 5;
};
/// The upper half of a float.
struct BfloatFormat {
  static constexpr int fraction_bits = 7;
  static constexpr int exponent_bits = 8;
};

enum class Rounding { nearest_even, to_zero, down, up };

/// The bits of the number of the format that `value` is rounded to. Beyond the largest number: as
/// IEEE 754 says, infinity or the largest number, whichever the rounding leads to.
template <class Format> constexpr uint16_t round_to(double value, Rounding rounding) {
  constexpr int fraction_bits = Format::fraction_bits;
  constexpr int lowest_exponent = 2 - (1 << (Format::exponent_bits - 1)); // of normal numbers
  constexpr uint64_t infinity = ((uint64_t{1} << Format::exponent_bits) - 1) << fraction_bits;
  constexpr uint16_t not_a_number = 0x7fff;

  const auto bits = __builtin_bit_cast(uint64_t, value);
  const bool negative = bits >> 63;
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t significand = bits & ((uint64_t{1} << 52) - 1);
  const auto with_sign = [negative](uint64_t magnitude) {
    return static_cast<uint16_t>(magnitude | (negative ? 0x8000u : 0u));
  };
  if (field == 0x7ff)
    return significand ? not_a_number : with_sign(infinity);
  if (field > 0)
    significand |= uint64_t{1} << 52;
  const int exponent = field > 0 ? field - 1023 : -1022;

  // Below the normal numbers the last place stays where it is.
  const int below = exponent < lowest_exponent ? lowest_exponent - exponent : 0;
  const int dropped = 52 - fraction_bits + below < 63 ? 52 - fraction_bits + below : 63;
  const uint64_t kept = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
  const uint64_t half = uint64_t{1} << (dropped - 1);
  const bool away = rounding == Rounding::nearest_even ? rest > half || (rest == half && (kept & 1))
                    : rounding == Rounding::to_zero    ? false
                    : rounding == Rounding::down       ? rest != 0 && negative
                                                       : rest != 0 && !negative;
  // A carry out of the fraction goes where it belongs: into the exponent.
  const int above = exponent - lowest_exponent + below;
  const uint64_t magnitude = (static_cast<uint64_t>(above) << fraction_bits) + kept + away;
  if (magnitude < infinity)
    return with_sign(magnitude);
  const bool to_infinity = rounding == Rounding::nearest_even ||
                           (rounding == Rounding::down && negative) ||
                           (rounding == Rounding::up && !negative);
  return with_sign(to_infinity ? infinity : infinity - 1);
}

template <class Format> constexpr float widen(uint16_t bits) {
  constexpr int dropped = 23 - Format::fraction_bits;
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fff) << dropped;
  if constexpr (Format::exponent_bits == 8)
    return __builtin_bit_cast(float, sign | magnitude);
  constexpr uint32_t infinity = ((1u << Format::exponent_bits) - 1) << 23;
  if (magnitude >= infinity)
    return __builtin_bit_cast(float, sign | magnitude | 0x7f800000u);
  // With the exponent as it stands this is the number times 2 to the difference of the biases.
  constexpr int biases = 127 - ((1 << (Format::exponent_bits - 1)) - 1);
  constexpr auto scale = static_cast<uint32_t>(127 + biases) << 23;
  const float number = __builtin_bit_cast(float, magnitude) * __builtin_bit_cast(float, scale);
  return sign ? -number : number;
}

/// a * b + c, rounded once to the format. All three are numbers of the format.
template <class Format> constexpr uint16_t round_fused(double a, double b, double c) {
  const double product = a * b; // exact
  const double sum = product + c;
  // What the addition has rounded off: it decides between two neighbours when `sum` looks halfway.
  const double from_c = sum - product;
  const double lost = (product - (sum - from_c)) + (c - from_c);
  auto bits = __builtin_bit_cast(uint64_t, sum);
  const bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
  if (finite && lost != 0 && !(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return round_to<Format>(__builtin_bit_cast(double, bits), Rounding::nearest_even);
}

} // namespace emu
