// Arithmetic and conversions that name their rounding: _rn to nearest (ties to even), _rz towards
// zero, _ru up, _rd down. Each result is rounded once, as named; none is fused with another.
#pragma once

#include <limits>
#include <math.h>

#include "emu/math/math_integer.hpp"

namespace emu {

/// Keeps the compiler from fusing, folding or reassociating across this value.
template <class T> inline auto as_rounded(T x) {
#if defined(__x86_64__)
  __asm__("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  volatile T kept = x;
  x = kept;
#endif
  return x;
}

} // namespace emu

// _rn inline; the others change the host's rounding mode.
#define EMU_ROUNDED(T, NAME, PARAMETERS, ARGUMENTS, RESULT) \
  inline T NAME##_rn PARAMETERS { return emu::as_rounded(RESULT); } \
  T NAME##_rz PARAMETERS; \
  T NAME##_ru PARAMETERS; \
  T NAME##_rd PARAMETERS;
#include "emu/math/rounded_list.def"
#undef EMU_ROUNDED

/// 1 / sqrt(x), correctly rounded: through double, whose error never reaches a rounding boundary.
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x)));
}

// ------------------------------------------------------------------------- number to integer

namespace emu {

/// The integer equal to x (already rounded); the nearest there is if x is out of range. NaN gives 0
/// for float to 32 bits, and only the highest bit set for all others: so the hardware has it.
/// (Of type auto: a precompiled header has it instantiated, where otherwise each source had to.)
template <class I, class F> inline auto to_integer(F x) {
  constexpr I least = std::numeric_limits<I>::min();
  constexpr I most = std::numeric_limits<I>::max();
  constexpr F beyond = static_cast<F>(most / 2 + 1) * 2; // 2^31, 2^32, 2^63 or 2^64: exact
  if (x != x) {
    if (sizeof(F) == 4 && sizeof(I) == 4)
      return I{0};
    return static_cast<I>(1ull << (8 * sizeof(I) - 1));
  }
  if (x >= beyond)
    return most;
  if (x < static_cast<F>(least))
    return least;
  return static_cast<I>(x);
}

} // namespace emu

#define EMU_TO_INTEGER(NAME, I, F) \
  inline I NAME##_rn(F x) { return emu::to_integer<I>(__builtin_rint(x)); } \
  inline I NAME##_rz(F x) { return emu::to_integer<I>(__builtin_trunc(x)); } \
  inline I NAME##_ru(F x) { return emu::to_integer<I>(__builtin_ceil(x)); } \
  inline I NAME##_rd(F x) { return emu::to_integer<I>(__builtin_floor(x)); }
#define EMU_TO_INTEGER_F(NAME, I) \
  inline I NAME##_rn(float x) { return emu::to_integer<I>(__builtin_rintf(x)); } \
  inline I NAME##_rz(float x) { return emu::to_integer<I>(__builtin_truncf(x)); } \
  inline I NAME##_ru(float x) { return emu::to_integer<I>(__builtin_ceilf(x)); } \
  inline I NAME##_rd(float x) { return emu::to_integer<I>(__builtin_floorf(x)); }
EMU_TO_INTEGER_F(__float2int, int)
EMU_TO_INTEGER_F(__float2uint, unsigned int)
EMU_TO_INTEGER_F(__float2ll, long long)
EMU_TO_INTEGER_F(__float2ull, unsigned long long)
EMU_TO_INTEGER(__double2int, int, double)
EMU_TO_INTEGER(__double2uint, unsigned int, double)
EMU_TO_INTEGER(__double2ll, long long, double)
EMU_TO_INTEGER(__double2ull, unsigned long long, double)
#undef EMU_TO_INTEGER
#undef EMU_TO_INTEGER_F

inline double __int2double_rn(int x) { return x; } // exact
inline double __uint2double_rn(unsigned int x) { return x; } // exact
