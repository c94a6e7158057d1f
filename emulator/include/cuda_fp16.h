// Half precision: IEEE 754's binary16.
#pragma once
#define __CUDA_FP16_H__ // programs ask for it

#include "cuda_runtime.h"
#include <emu/math/float16.hpp>

using __half = emu::Float16<emu::HalfFormat>;
using __half2 = emu::Float16x2<emu::HalfFormat>;
using half = __half;
using half2 = __half2;
struct __half2_raw {
  unsigned short x, y;
};

#define EMU_NUMBER __half
#define EMU_PAIR __half2
#define EMU_TYPE_NAME half
#include <emu/math/float16_functions.inc>

inline __half2 __half2half2(__half a) { return {a, a}; }

#define CUDART_INF_FP16 __ushort_as_half(0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00U)
