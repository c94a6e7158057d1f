// Brain floating point: the upper half of a float.
#pragma once
#define __CUDA_BF16_H__ // programs ask for it

#include "cuda_runtime.h"
#include <emu/math/float16.hpp>

using __nv_bfloat16 = emu::Float16<emu::BfloatFormat>;
using __nv_bfloat162 = emu::Float16x2<emu::BfloatFormat>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

#define EMU_NUMBER __nv_bfloat16
#define EMU_PAIR __nv_bfloat162
#define EMU_TYPE_NAME bfloat16
#include <emu/math/float16_functions.inc>

inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3F80U)
