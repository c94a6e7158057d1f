/// \file
/// CUDA's keywords, for headers that are compiled as ordinary C++: most of them mean nothing on a CPU. In
/// CUDA sources they stay for the rewriter (keywords_stay.hpp).
#pragma once

#define __global__
#define __device__
#define __host__
#define __managed__
#ifdef EMU_OBSERVED
#define __constant__ __attribute__((section("emu_constant"))) // so that it can be told apart
#else
#define __constant__
#endif
#define __grid_constant__
#define __nv_pure__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) alignas(bytes)
#define __restrict__ __restrict
#ifndef __clang__
/// A promise to nvcc, which g++ has no word for. It is not evaluated there either.
#define __builtin_assume(condition) static_cast<void>(sizeof(condition))
#endif
#define CUDARTAPI
#define CUDART_CB

/// For functions that stand for one instruction: the access happens on the user's line.
#define EMU_INLINE inline __attribute__((always_inline))

/// Marks functions of the emulator that an observed build must not instrument. In a plain one it would only
/// keep them from being inlined.
#if !defined(EMU_OBSERVED)
#define EMU_UNOBSERVED
#elif defined(__clang__)
#define EMU_UNOBSERVED __attribute__((disable_sanitizer_instrumentation, no_sanitize("coverage")))
#else
#define EMU_UNOBSERVED __attribute__((no_sanitize_thread, no_sanitize_coverage))
#endif

#if defined(EMU_OBSERVED) && !defined(EMU_INSTRUMENTS)
// Calls of these in observed code go to the instruments. Declared before <string.h> can be.
extern "C" {
void *memcpy(void *, const void *, __SIZE_TYPE__) noexcept __asm__("__tsan_memcpy");
void *memmove(void *, const void *, __SIZE_TYPE__) noexcept __asm__("__tsan_memmove");
void *memset(void *, int, __SIZE_TYPE__) noexcept __asm__("__tsan_memset");
}
#ifndef EMU_WITHOUT_KERNELS
// What the standard library's constexpr functions read with, std::string_view::find for one, and what a kernel prints
// with: <string.h> gives several functions of one name, so the symbols are renamed.
__asm__(".set memchr, __tsan_memchr\n.set memcmp, __tsan_memcmp\n.set strlen, __tsan_strlen\n"
        ".set printf, __tsan_printf\n.set puts, __tsan_puts");
// The heap, which kernels have one of, too: the last six are new, new[], and delete and delete[] without and with a size.
__asm__(".set malloc, __tsan_malloc\n.set free, __tsan_free\n.set _Znwm, __tsan_new\n.set _Znam, "
        "__tsan_new\n"
        ".set _ZdlPv, __tsan_delete\n.set _ZdaPv, __tsan_delete\n.set _ZdlPvm, __tsan_delete\n.set "
        "_ZdaPvm, __tsan_delete");
// The symbols of these, too: <cmath> calls them as the compiler's builtins, which clang lets no declaration rename.
#define EMU_STORES(result, name, ...) __asm__(".set " #name ", __tsan_" #name);
#include "emu/language/storing_functions.def"
// Its own forms of them are for whoever calls them, also where nothing is optimised: what they store is on that line.
namespace std {
EMU_INLINE float modf(float, float *);
EMU_INLINE float frexp(float, int *);
EMU_INLINE float remquo(float, float, int *);
} // namespace std
#endif
#if defined(__clang__) && __clang_major__ < 15
// Copies of structures are calls of the plain names there.
__asm__(".set memcpy, __tsan_memcpy\n.set memmove, __tsan_memmove\n.set memset, __tsan_memset");
#endif
#endif
