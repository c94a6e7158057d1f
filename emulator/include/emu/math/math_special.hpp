// Mathematical functions that CUDA has and C++ has not. The double forms are computed in long
// double, the float forms in double, so their errors stay well within CUDA's bounds.
#pragma once

#include <math.h>

#include "emu/language/keywords.hpp"
#include "emu/math/math_minmax.hpp"

double rsqrt(double x); ///< 1 / sqrt(x)
double rcbrt(double x); ///< 1 / cbrt(x)
double sinpi(double x); ///< sin(pi x), the product exact
double cospi(double x); ///< cos(pi x), the product exact

double normcdf(double x); ///< distribution function of the standard normal distribution
double normcdfinv(double p); ///< its inverse, p in [0, 1]
double erfinv(double y); ///< inverse of erf, y in [-1, 1]
double erfcinv(double y); ///< inverse of erfc, y in [0, 2]
double erfcx(double x); ///< exp(x^2) erfc(x)
double cyl_bessel_i0(double x); ///< modified Bessel function of the first kind, order 0
double cyl_bessel_i1(double x); ///< order 1

// Lengths of vectors without overflow on the way, and their reciprocals.
double rhypot(double x, double y);
double norm3d(double x, double y, double z);
double rnorm3d(double x, double y, double z);
double norm4d(double x, double y, double z, double w);
double rnorm4d(double x, double y, double z, double w);
namespace emu {
/// An infinity wins over a NaN, as in hypot. Inline, as its loads are the kernel's.
template <class T> EMU_INLINE auto length(int count, const T *x) {
  long double sum = 0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    const long double value = x[i];
    infinite = infinite || __builtin_isinf(value);
    sum += value * value;
  }
  return infinite ? __builtin_infl() : __builtin_sqrtl(sum);
}
} // namespace emu
EMU_INLINE double norm(int count, const double *x) {
  return static_cast<double>(emu::length(count, x));
}
EMU_INLINE double rnorm(int count, const double *x) {
  return static_cast<double>(1 / emu::length(count, x));
}
EMU_INLINE float normf(int count, const float *x) {
  return static_cast<float>(emu::length(count, x));
}
EMU_INLINE float rnormf(int count, const float *x) {
  return static_cast<float>(1 / emu::length(count, x));
}

// Inline, for kernels use it much.
inline float rsqrtf(float x) {
  return static_cast<float>(1 / __builtin_sqrt(static_cast<double>(x)));
}

#define EMU_FLOAT_FORMS(NAME) \
  inline float NAME##f(float x) { return static_cast<float>(NAME(static_cast<double>(x))); } \
  inline float NAME(float x) { return NAME##f(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
EMU_FLOAT_FORMS(rcbrt)
EMU_FLOAT_FORMS(sinpi)
EMU_FLOAT_FORMS(cospi)
EMU_FLOAT_FORMS(normcdf)
EMU_FLOAT_FORMS(normcdfinv)
EMU_FLOAT_FORMS(erfinv)
EMU_FLOAT_FORMS(erfcinv)
EMU_FLOAT_FORMS(erfcx)
EMU_FLOAT_FORMS(cyl_bessel_i0)
EMU_FLOAT_FORMS(cyl_bessel_i1)
#undef EMU_FLOAT_FORMS

inline void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
inline void sincos(float x, float *sine, float *cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}

inline float rhypotf(float x, float y) { return static_cast<float>(rhypot(x, y)); }
inline float norm3df(float x, float y, float z) { return static_cast<float>(norm3d(x, y, z)); }
inline float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d(x, y, z)); }
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
inline float rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(rnorm4d(x, y, z, w));
}
