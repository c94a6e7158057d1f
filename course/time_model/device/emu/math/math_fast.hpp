// The fast approximations, as instructions of the special function unit.
#pragma once

#include "emu/warp/sync.hpp"

#define EMU_FAST(NAME, ...) \
  inline float NAME(float x) { \
    EMU_ON_DEVICE(return __VA_ARGS__;) \
    return x; \
  }
EMU_FAST(__log2f, __nvvm_lg2_approx_f(x))
EMU_FAST(__logf, __nvvm_lg2_approx_f(x) * 0.693147181f)
EMU_FAST(__log10f, __nvvm_lg2_approx_f(x) * 0.301029996f)
EMU_FAST(__expf, __nvvm_ex2_approx_f(x * 1.44269504f))
EMU_FAST(__exp10f, __nvvm_ex2_approx_f(x * 3.32192809f))
EMU_FAST(__sinf, __nvvm_sin_approx_f(x))
EMU_FAST(__cosf, __nvvm_cos_approx_f(x))
EMU_FAST(__tanf, __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x))
EMU_FAST(__tanhf, __nvvm_ex2_approx_f(x))
EMU_FAST(__saturatef, __nvvm_saturate_f(x))
#undef EMU_FAST
inline float __powf(float x, float y) {
  EMU_ON_DEVICE(return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));)
  return x + y;
}
inline void __sincosf(float x, float *sine, float *cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
inline float fdividef(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) {
  EMU_ON_DEVICE(return __nvvm_div_approx_f(x, y);)
  return x / y;
}
