// Mathematical functions that CUDA has and C++ has not; prelude.hpp declares those that have a cost of their own.
#pragma once

#include <math.h>

#include "emu/math/math_minmax.hpp"

inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline float normcdf(float x) { return normcdff(x); }
inline float normcdfinv(float x) { return normcdfinvf(x); }
inline float erfinv(float x) { return erfinvf(x); }
inline float erfcinv(float x) { return erfcinvf(x); }
inline float erfcx(float x) { return erfcxf(x); }

inline void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
inline void sincos(float x, float *sine, float *cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline void sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float rnorm3df(float x, float y, float z) { return rsqrtf(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) {
  return sqrtf(x * x + y * y + z * z + w * w);
}
inline float rnorm4df(float x, float y, float z, float w) {
  return rsqrtf(x * x + y * y + z * z + w * w);
}
inline float rhypotf(float x, float y) { return rsqrtf(x * x + y * y); }

// What these cost nobody has counted: a kernel that comes to one is refused, by its name.
double rcbrt(double x);
double sinpi(double x);
double cospi(double x);
double normcdfinv(double p);
double erfinv(double y);
double erfcinv(double y);
double erfcx(double x);
double cyl_bessel_i0(double x);
double cyl_bessel_i1(double x);
float cyl_bessel_i0f(float x);
float cyl_bessel_i1f(float x);
void sincospi(double x, double *sine, double *cosine);
double rhypot(double x, double y);
double norm3d(double x, double y, double z);
double rnorm3d(double x, double y, double z);
double norm4d(double x, double y, double z, double w);
double rnorm4d(double x, double y, double z, double w);
double norm(int count, const double *x);
double rnorm(int count, const double *x);
float normf(int count, const float *x);
float rnormf(int count, const float *x);
