// Complex numbers as pairs: x is the real part.
#pragma once

#include <cmath>

#include "cuda_runtime.h"

#define EMU_COMPLEX(COMPLEX, REAL, PAIR, SUFFIX) \
  using COMPLEX = PAIR; \
  inline REAL cuCreal##SUFFIX(COMPLEX a) { return a.x; } \
  inline REAL cuCimag##SUFFIX(COMPLEX a) { return a.y; } \
  inline COMPLEX make_##COMPLEX(REAL real, REAL imaginary) { return {real, imaginary}; } \
  inline COMPLEX cuConj##SUFFIX(COMPLEX a) { return {a.x, -a.y}; } \
  inline COMPLEX cuCadd##SUFFIX(COMPLEX a, COMPLEX b) { return {a.x + b.x, a.y + b.y}; } \
  inline COMPLEX cuCsub##SUFFIX(COMPLEX a, COMPLEX b) { return {a.x - b.x, a.y - b.y}; } \
  inline COMPLEX cuCmul##SUFFIX(COMPLEX a, COMPLEX b) { \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; \
  } \
  inline COMPLEX cuCdiv##SUFFIX(COMPLEX a, COMPLEX b) { \
    const REAL scale = 1 / (std::abs(b.x) + std::abs(b.y)); /* so that no square overflows */ \
    const COMPLEX s = {a.x * scale, a.y * scale}, t = {b.x * scale, b.y * scale}; \
    const REAL factor = 1 / (t.x * t.x + t.y * t.y); \
    return {(s.x * t.x + s.y * t.y) * factor, (s.y * t.x - s.x * t.y) * factor}; \
  } \
  inline REAL cuCabs##SUFFIX(COMPLEX a) { return std::hypot(a.x, a.y); } \
  inline COMPLEX cuCfma##SUFFIX(COMPLEX a, COMPLEX b, COMPLEX c) { \
    return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); \
  }
EMU_COMPLEX(cuFloatComplex, float, float2, f)
EMU_COMPLEX(cuDoubleComplex, double, double2, )
#undef EMU_COMPLEX

using cuComplex = cuFloatComplex;
inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
