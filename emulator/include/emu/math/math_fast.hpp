// The fast approximations, by the formulas that the hardware's units follow, so that their errors
// grow where a device's grow. Bounds are those of the CUDA C++ Programming Guide; an ulp is a unit
// in the last place of the exact result.
#pragma once

#include <math.h>

#include "emu/math/math_rounded.hpp"

namespace emu {

constexpr float log2_e = 1.44269504f;
constexpr float log2_10 = 3.32192809f;
constexpr float ln_2 = 0.693147181f;
constexpr float log10_2 = 0.301029996f;
constexpr float one_by_2_pi = 0.159154943f;
constexpr float two_pi = 6.28318531f;

/// The number rounded to a multiple of 2^-bits: a table-driven unit's absolute error.
inline float to_fixed_point(float x, int bits) {
  const float scale = static_cast<float>(1u << bits);
  return as_rounded(__builtin_rintf(as_rounded(x * scale)) / scale);
}

/// x as a part of a turn, in [-1/2, 1/2]: the unit behind __sinf and __cosf takes its angle so.
/// The product is rounded, so for large x the angle itself is wrong.
inline float part_of_turn(float x) {
  const float turns = as_rounded(x * one_by_2_pi);
  return to_fixed_point(as_rounded(turns - __builtin_rintf(turns)), 25);
}

} // namespace emu

/// log2(x). Absolute error <= 2^-22 for x in [0.5, 2]; elsewhere <= 2 ulp.
inline float __log2f(float x) {
  const float exact = log2f(x);
  return x >= 0.5f && x <= 2.0f ? emu::to_fixed_point(exact, 23) : exact;
}
/// ln(x). Absolute error <= 2^-21.41 for x in [0.5, 2]; elsewhere <= 3 ulp.
inline float __logf(float x) { return __fmul_rn(__log2f(x), emu::ln_2); }
/// log10(x). Absolute error <= 2^-24 for x in [0.5, 2]; elsewhere <= 3 ulp.
inline float __log10f(float x) { return __fmul_rn(__log2f(x), emu::log10_2); }

/// e^x. Error <= 2 + floor(|1.173 x|) ulp: the exponent, scaled to base 2, is rounded to float.
inline float __expf(float x) { return exp2f(__fmul_rn(x, emu::log2_e)); }
/// 10^x. Error <= 2 + floor(|2.97 x|) ulp.
inline float __exp10f(float x) { return exp2f(__fmul_rn(x, emu::log2_10)); }
/// x^y as 2^(y log2 x): the errors of both, the first grows with |y log2 x|.
inline float __powf(float x, float y) { return exp2f(__fmul_rn(y, __log2f(x))); }

/// sin(x). Absolute error <= 2^-21.41 for x in [-pi, pi]; larger elsewhere.
inline float __sinf(float x) { return sinf(__fmul_rn(emu::part_of_turn(x), emu::two_pi)); }
/// cos(x). Absolute error <= 2^-21.19 for x in [-pi, pi]; larger elsewhere.
inline float __cosf(float x) { return cosf(__fmul_rn(emu::part_of_turn(x), emu::two_pi)); }
/// Both, each with its own error.
inline void __sincosf(float x, float *sine, float *cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
/// tan(x) as __sinf(x) / __cosf(x).
inline float __tanf(float x) { return __fdiv_rn(__sinf(x), __cosf(x)); }
/// tanh(x). Relative error <= 2^-11.
inline float __tanhf(float x) { return tanhf(x); }

/// x / y. Error <= 2 ulp for |y| in [2^-126, 2^126]; for larger |y| the reciprocal is lost: 0, or
/// NaN if x is infinite.
inline float __fdividef(float x, float y) {
  if (fabsf(y) > 0x1p126f)
    return __fmul_rn(x, 0.0f);
  return __fmul_rn(x, __frcp_rn(y));
}

/// x / y, rounded once; nvcc makes __fdividef() of it with -prec-div=false, which the emulator doesn't heed.
inline float fdividef(float x, float y) { return x / y; }

/// x clamped to [0, 1]; 0 for NaN.
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
