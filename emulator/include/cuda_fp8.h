// 8-bit floating point: e4m3, which has no infinity and goes to 448, and e5m2, the upper half of a half.
#pragma once

#include "emu/language/letters_away.hpp"
#define __CUDA_FP8_H__ // programs ask for it

#include <cmath>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace emu {

/// Rounded to the nearest, ties to even. Beyond the greatest number: that number, or with __NV_NOSAT infinity, of which
/// e4m3 has none: NaN.
inline unsigned char
to_fp8(double value, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  const int fraction = kind == __NV_E4M3 ? 3 : 2, lowest = kind == __NV_E4M3 ? -6 : -14;
  const unsigned greatest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  const unsigned sign = std::signbit(value) ? 0x80 : 0;
  const double size = std::fabs(value);
  if (size != size)
    return 0x7f;
  unsigned bits = greatest + 1;
  if (size < 65536 * 2) {
    const int exponent = size > 0 && std::ilogb(size) > lowest ? std::ilogb(size) : lowest;
    // A carry out of the fraction goes into the exponent.
    bits = (static_cast<unsigned>(exponent - lowest) << fraction) +
           static_cast<unsigned>(std::nearbyint(std::ldexp(size, fraction - exponent)));
  }
  if (bits > greatest)
    bits = saturation == __NV_SATFINITE ? greatest : kind == __NV_E4M3 ? 0x7f : 0x7c;
  return static_cast<unsigned char>(sign | bits);
}

inline float from_fp8(unsigned char bits, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2)
    return widen<HalfFormat>(static_cast<uint16_t>(bits << 8));
  const int magnitude = bits & 0x7f, exponent = magnitude >> 3;
  const float size = magnitude == 0x7f ? NAN
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(magnitude), -9)
                         : std::ldexp(static_cast<float>(8 + (magnitude & 7)), exponent - 10);
  return bits & 0x80 ? -size : size;
}

template <class T>
concept NumberForFp8 =
    std::is_arithmetic_v<T> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <__nv_fp8_interpretation_t Kind> struct Fp8 {
  __nv_fp8_storage_t __x;

  Fp8() = default;
  template <NumberForFp8 T>
  explicit Fp8(T value) : __x(to_fp8(wide(value), __NV_SATFINITE, Kind)) {}
  template <NumberForFp8 T> explicit operator T() const {
    if constexpr (std::is_same_v<T, bool>)
      return (__x & 0x7f) != 0;
    else if constexpr (std::is_integral_v<T>)
      return to_integer<T>(static_cast<double>(from_fp8(__x, Kind)));
    else
      return T(from_fp8(__x, Kind));
  }

private:
  template <class T> static double wide(T value) {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<double>(value);
    else
      return value.wide();
  }
};

/// Several in one word: the first one lies lowest.
template <__nv_fp8_interpretation_t Kind, class Word> struct Fp8s {
  Word __x;

  Fp8s() = default;
  explicit Fp8s(float2 v) requires(sizeof(Word) == 2) : __x(packed(v.x, v.y)) {}
  explicit Fp8s(double2 v) requires(sizeof(Word) == 2) : __x(packed(v.x, v.y)) {}
  explicit Fp8s(__half2 v) requires(sizeof(Word) == 2) : __x(packed(v.x.wide(), v.y.wide())) {}
  explicit Fp8s(__nv_bfloat162 v) requires(sizeof(Word) == 2)
      : __x(packed(v.x.wide(), v.y.wide())) {}
  explicit Fp8s(float4 v) requires(sizeof(Word) == 4) : __x(packed(v.x, v.y, v.z, v.w)) {}
  explicit Fp8s(double4 v) requires(sizeof(Word) == 4) : __x(packed(v.x, v.y, v.z, v.w)) {}
  Fp8s(__half2 low, __half2 high) requires(sizeof(Word) == 4)
      : __x(packed(low.x.wide(), low.y.wide(), high.x.wide(), high.y.wide())) {}
  Fp8s(__nv_bfloat162 low, __nv_bfloat162 high) requires(sizeof(Word) == 4)
      : __x(packed(low.x.wide(), low.y.wide(), high.x.wide(), high.y.wide())) {}
  explicit operator float2() const requires(sizeof(Word) == 2) { return {at(0), at(1)}; }
  explicit operator __half2() const requires(sizeof(Word) == 2) {
    return {__half(at(0)), __half(at(1))};
  }
  explicit operator float4() const requires(sizeof(Word) == 4) {
    return {at(0), at(1), at(2), at(3)};
  }

private:
  template <class... T> static Word packed(T... values) {
    Word word = 0;
    int place = 0;
    ((word = static_cast<Word>(word | static_cast<Word>(to_fp8(values, __NV_SATFINITE, Kind))
                                          << 8 * place++)),
     ...);
    return word;
  }
  float at(int place) const { return from_fp8(static_cast<unsigned char>(__x >> 8 * place), Kind); }
};

} // namespace emu

using __nv_fp8_e4m3 = emu::Fp8<__NV_E4M3>;
using __nv_fp8_e5m2 = emu::Fp8<__NV_E5M2>;
using __nv_fp8x2_e4m3 = emu::Fp8s<__NV_E4M3, __nv_fp8x2_storage_t>;
using __nv_fp8x2_e5m2 = emu::Fp8s<__NV_E5M2, __nv_fp8x2_storage_t>;
using __nv_fp8x4_e4m3 = emu::Fp8s<__NV_E4M3, __nv_fp8x4_storage_t>;
using __nv_fp8x4_e5m2 = emu::Fp8s<__NV_E5M2, __nv_fp8x4_storage_t>;

#define EMU_CONVERT(NAME, FROM, WIDE) \
  inline __nv_fp8_storage_t __nv_cvt_##NAME##_to_fp8( \
      FROM x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) { \
    return emu::to_fp8(WIDE(x), saturation, kind); \
  }
#define EMU_CONVERT_TWO(NAME, FROM, WIDE) \
  inline __nv_fp8x2_storage_t __nv_cvt_##NAME##_to_fp8x2( \
      FROM v, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) { \
    return static_cast<__nv_fp8x2_storage_t>(emu::to_fp8(WIDE(v.x), saturation, kind) | \
                                             emu::to_fp8(WIDE(v.y), saturation, kind) << 8); \
  }
#define EMU_OF_HALF(X) emu::widen<emu::HalfFormat>(X)
#define EMU_OF_BFLOAT(X) emu::widen<emu::BfloatFormat>(X)
EMU_CONVERT(float, float, )
EMU_CONVERT(double, double, )
EMU_CONVERT_TWO(float2, float2, )
EMU_CONVERT_TWO(double2, double2, )
EMU_CONVERT_TWO(halfraw2, __half2_raw, EMU_OF_HALF)
EMU_CONVERT_TWO(bfloat16raw2, __nv_bfloat162_raw, EMU_OF_BFLOAT)
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x,
                                                  __nv_saturation_t saturation,
                                                  __nv_fp8_interpretation_t kind) {
  return emu::to_fp8(EMU_OF_HALF(x.x), saturation, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind) {
  return emu::to_fp8(EMU_OF_BFLOAT(x.x), saturation, kind);
}
#undef EMU_OF_HALF
#undef EMU_OF_BFLOAT
#undef EMU_CONVERT
#undef EMU_CONVERT_TWO

inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return __half(emu::from_fp8(x, kind));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t kind) {
  const auto at = [&](int place) {
    return __nv_cvt_fp8_to_halfraw(static_cast<unsigned char>(x >> 8 * place), kind).x;
  };
  return {at(0), at(1)};
}

#include "emu/language/letters_back.hpp"
