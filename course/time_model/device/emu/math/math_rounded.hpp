// Arithmetic and conversions that name their rounding. All roundings cost the same: one stands for four.
#pragma once

#include <math.h>

#include "emu/math/math_integer.hpp"
#include "emu/warp/sync.hpp"

namespace emu {
template <class T> inline T as_rounded(T x) { return x; }
} // namespace emu

#define EMU_ROUNDED(T, NAME, PARAMETERS, HOST, ...) \
  inline T NAME PARAMETERS { \
    EMU_ON_DEVICE(return __VA_ARGS__;) \
    return HOST; \
  }
#define EMU_ROUNDINGS(T, NAME, PARAMETERS, HOST, ...) \
  EMU_ROUNDED(T, NAME##_rn, PARAMETERS, HOST, __VA_ARGS__) \
  EMU_ROUNDED(T, NAME##_rz, PARAMETERS, HOST, __VA_ARGS__) \
  EMU_ROUNDED(T, NAME##_ru, PARAMETERS, HOST, __VA_ARGS__) \
  EMU_ROUNDED(T, NAME##_rd, PARAMETERS, HOST, __VA_ARGS__)
EMU_ROUNDINGS(float, __fadd, (float x, float y), x + y, __nvvm_add_rn_f(x, y))
EMU_ROUNDINGS(float, __fsub, (float x, float y), x - y, __nvvm_add_rn_f(x, -y))
EMU_ROUNDINGS(float, __fmul, (float x, float y), x *y, __nvvm_mul_rn_f(x, y))
EMU_ROUNDINGS(float, __fdiv, (float x, float y), x / y, __nvvm_div_rn_f(x, y))
EMU_ROUNDINGS(float, __fmaf, (float x, float y, float z), x *y + z, __nvvm_fma_rn_f(x, y, z))
EMU_ROUNDINGS(float, __frcp, (float x), x, __nvvm_rcp_rn_f(x))
EMU_ROUNDINGS(float, __fsqrt, (float x), x, __nvvm_sqrt_rn_f(x))
EMU_ROUNDINGS(double, __dadd, (double x, double y), x + y, __nvvm_add_rn_d(x, y))
EMU_ROUNDINGS(double, __dsub, (double x, double y), x - y, __nvvm_add_rn_d(x, -y))
EMU_ROUNDINGS(double, __dmul, (double x, double y), x *y, __nvvm_mul_rn_d(x, y))
EMU_ROUNDINGS(double, __ddiv, (double x, double y), x / y, __nvvm_div_rn_d(x, y))
EMU_ROUNDINGS(double, __fma, (double x, double y, double z), x *y + z, __nvvm_fma_rn_d(x, y, z))
EMU_ROUNDINGS(double, __drcp, (double x), x, __nvvm_rcp_rn_d(x))
EMU_ROUNDINGS(double, __dsqrt, (double x), x, __nvvm_sqrt_rn_d(x))
#undef EMU_ROUNDINGS

#define EMU_CONVERSION(TO, NAME, FROM, INSTRUCTION) \
  EMU_ROUNDED(TO, NAME##_rn, (FROM x), static_cast<TO>(x), __nvvm_##INSTRUCTION##_rn(x)) \
  EMU_ROUNDED(TO, NAME##_rz, (FROM x), static_cast<TO>(x), __nvvm_##INSTRUCTION##_rz(x)) \
  EMU_ROUNDED(TO, NAME##_ru, (FROM x), static_cast<TO>(x), __nvvm_##INSTRUCTION##_rp(x)) \
  EMU_ROUNDED(TO, NAME##_rd, (FROM x), static_cast<TO>(x), __nvvm_##INSTRUCTION##_rm(x))
EMU_CONVERSION(float, __double2float, double, d2f)
EMU_CONVERSION(float, __int2float, int, i2f)
EMU_CONVERSION(float, __uint2float, unsigned, ui2f)
EMU_CONVERSION(float, __ll2float, long long, ll2f)
EMU_CONVERSION(float, __ull2float, unsigned long long, ull2f)
EMU_CONVERSION(double, __ll2double, long long, ll2d)
EMU_CONVERSION(double, __ull2double, unsigned long long, ull2d)
EMU_CONVERSION(int, __float2int, float, f2i)
EMU_CONVERSION(unsigned, __float2uint, float, f2ui)
EMU_CONVERSION(long long, __float2ll, float, f2ll)
EMU_CONVERSION(unsigned long long, __float2ull, float, f2ull)
EMU_CONVERSION(int, __double2int, double, d2i)
EMU_CONVERSION(unsigned, __double2uint, double, d2ui)
EMU_CONVERSION(long long, __double2ll, double, d2ll)
EMU_CONVERSION(unsigned long long, __double2ull, double, d2ull)
#undef EMU_CONVERSION
#undef EMU_ROUNDED
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline float __frsqrt_rn(float x) {
  EMU_ON_DEVICE(return __nvvm_rsqrt_approx_f(x);)
  return x;
}
