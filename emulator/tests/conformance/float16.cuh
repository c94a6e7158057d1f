// Half precision and bfloat16: a table of all numbers that a type has, to test against.
#pragma once

#include "conformance.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace conformance {

using Bits = unsigned short;
inline constexpr Bits infinity_of_half = 0x7c00, infinity_of_bfloat = 0x7f80;

__host__ __device__ inline Bits bits_of(__half a) { return __half_as_ushort(a); }
__host__ __device__ inline Bits bits_of(__nv_bfloat16 a) { return __bfloat16_as_ushort(a); }

/// The values of a type, by their bits: from the definition of the format.
struct Table {
  Table(int fraction_bits, int bias) {
    for (unsigned code = 0; code < 0x8000; ++code) {
      const int field = static_cast<int>(code >> fraction_bits);
      const int fraction = static_cast<int>(code) - (field << fraction_bits);
      const int significand = field == 0 ? fraction : fraction + (1 << fraction_bits);
      values.push_back(std::ldexp(significand, (field == 0 ? 1 : field) - bias - fraction_bits));
    }
    infinity = static_cast<Bits>(2 * (bias + 1) - 1) << fraction_bits;
  }

  // Bits of the magnitude that |value| is rounded to; `sticky` says that the exact number is a
  // little above |value|.
  Bits nearest(double value, bool sticky = false) const {
    const double magnitude = std::fabs(value);
    const auto end = values.begin() + infinity + 1; // what infinity would be as a number
    const auto above = std::lower_bound(values.begin(), end, magnitude);
    if (above == end)
      return infinity;
    auto code = static_cast<Bits>(above - values.begin());
    if (code == 0 || (*above == magnitude && !sticky))
      return code;
    if (*above == magnitude)
      ++code; // the number lies between this and the next
    const double middle = (values[code] + values[code - 1u]) / 2;
    const bool up = magnitude > middle || (magnitude == middle && (sticky || code % 2 == 0));
    return up ? code : static_cast<Bits>(code - 1);
  }
  Bits below(double magnitude) const { // towards zero
    const auto end = values.begin() + infinity;
    return static_cast<Bits>(std::upper_bound(values.begin(), end, magnitude) - values.begin() - 1);
  }
  Bits above(double magnitude) const {
    const auto end = values.begin() + infinity;
    return static_cast<Bits>(std::lower_bound(values.begin(), end, magnitude) - values.begin());
  }

  std::vector<double> values;
  Bits infinity;
};

inline const Table &half_table() {
  static const Table table(10, 15);
  return table;
}
inline const Table &bfloat_table() {
  static const Table table(7, 127);
  return table;
}

inline Bits with_sign(Bits magnitude, bool negative) { return magnitude | (negative ? 0x8000 : 0); }

/// The number of a type that has the bits.
template <class T> struct OfBits;
template <> struct OfBits<__half> {
  __host__ __device__ static __half make(Bits bits) { return __ushort_as_half(bits); }
};
template <> struct OfBits<__nv_bfloat16> {
  __host__ __device__ static __nv_bfloat16 make(Bits bits) { return __ushort_as_bfloat16(bits); }
};

/// Four results of one thread.
struct Four {
  Bits sum, difference, product, quotient;
};
inline double value_of(const Table &table, Bits bits) {
  return (bits & 0x8000 ? -1 : 1) * table.values[bits & 0x7fff];
}

} // namespace conformance
