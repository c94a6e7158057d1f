/// \file
/// Functions on the two or four integers that lie in 32 bits: `__vadd2`, `__vmaxu4` and their kin.
#pragma once

#include <array> // std::min, without the whole of <algorithm>
#include <cstdint>
#include <limits>

namespace emu {

/// Does it for each pair of parts of type T. `compute` gets and gives ints; what does not fit is cut off.
template <class T> inline unsigned by_parts(unsigned a, unsigned b, const auto &compute) {
  constexpr unsigned bits = 8 * sizeof(T), ones = (1u << bits) - 1;
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += bits)
    result |= (static_cast<unsigned>(compute(T(a >> at), T(b >> at))) & ones) << at;
  return result;
}
/// The sum of what is computed for all parts.
template <class T> inline unsigned sum_of_parts(unsigned a, unsigned b, const auto &compute) {
  unsigned sum = 0;
  for (unsigned at = 0; at < 32; at += 8 * sizeof(T))
    sum += static_cast<unsigned>(compute(T(a >> at), T(b >> at)));
  return sum;
}
template <class T> constexpr int saturated(int value) {
  constexpr int least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  return std::min(std::max(value, least), most);
}
constexpr int amount(int a) { return a < 0 ? -a : a; }

} // namespace emu

// All are templates: what an ordinary function calls is instantiated in each source that has its header.
// Doxygen does not expand them.
/// \cond
// NAME2 and NAME4, of parts with a sign (s) or without (u).
#define EMU_PARTS(NAME, S, HOW, EXPRESSION) \
  template <class = void> unsigned int NAME##2(unsigned int a, unsigned int b) { \
    using T = S##int16_t; \
    return emu::HOW<T>(a, b, [](int x, int y) -> int { return EXPRESSION; }); \
  } \
  template <class = void> unsigned int NAME##4(unsigned int a, unsigned int b) { \
    using T = S##int8_t; \
    return emu::HOW<T>(a, b, [](int x, int y) -> int { return EXPRESSION; }); \
  }
#define EMU_SIGNED(NAME, EXPRESSION) EMU_PARTS(NAME, , by_parts, EXPRESSION)
#define EMU_UNSIGNED(NAME, EXPRESSION) EMU_PARTS(NAME, u, by_parts, EXPRESSION)
EMU_SIGNED(__vadd, x + y)
EMU_SIGNED(__vsub, x - y)
EMU_SIGNED(__vaddss, emu::saturated<T>(x + y))
EMU_SIGNED(__vsubss, emu::saturated<T>(x - y))
EMU_UNSIGNED(__vaddus, emu::saturated<T>(x + y))
EMU_UNSIGNED(__vsubus, emu::saturated<T>(x - y))
EMU_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
EMU_UNSIGNED(__vavgu, (x + y + 1) / 2)
EMU_UNSIGNED(__vhaddu, (x + y) / 2)
EMU_SIGNED(__vmaxs, std::max(x, y))
EMU_SIGNED(__vmins, std::min(x, y))
EMU_UNSIGNED(__vmaxu, std::max(x, y))
EMU_UNSIGNED(__vminu, std::min(x, y))
EMU_SIGNED(__vabsdiffs, emu::amount(x - y))
EMU_UNSIGNED(__vabsdiffu, emu::amount(x - y))
EMU_PARTS(__vsads, , sum_of_parts, emu::amount(x - y))
EMU_PARTS(__vsadu, u, sum_of_parts, emu::amount(x - y))

// Comparisons: __vcmp gives all ones where they hold, __vset gives 1.
#define EMU_COMPARE(NAME, SIGN, EXPRESSION) \
  SIGN(__vcmp##NAME, (EXPRESSION) ? -1 : 0) \
  SIGN(__vset##NAME, EXPRESSION)
EMU_COMPARE(eq, EMU_UNSIGNED, x == y)
EMU_COMPARE(ne, EMU_UNSIGNED, x != y)
EMU_COMPARE(ges, EMU_SIGNED, x >= y)
EMU_COMPARE(gts, EMU_SIGNED, x > y)
EMU_COMPARE(les, EMU_SIGNED, x <= y)
EMU_COMPARE(lts, EMU_SIGNED, x < y)
EMU_COMPARE(geu, EMU_UNSIGNED, x >= y)
EMU_COMPARE(gtu, EMU_UNSIGNED, x > y)
EMU_COMPARE(leu, EMU_UNSIGNED, x <= y)
EMU_COMPARE(ltu, EMU_UNSIGNED, x < y)
#undef EMU_COMPARE
#undef EMU_SIGNED
#undef EMU_UNSIGNED
#undef EMU_PARTS

#define EMU_PARTS(NAME, EXPRESSION) \
  template <class = void> unsigned int NAME##2(unsigned int a) { \
    using T = int16_t; \
    return emu::by_parts<T>(a, a, [](int x, int) -> int { return EXPRESSION; }); \
  } \
  template <class = void> unsigned int NAME##4(unsigned int a) { \
    using T = int8_t; \
    return emu::by_parts<T>(a, a, [](int x, int) -> int { return EXPRESSION; }); \
  }
EMU_PARTS(__vabs, emu::amount(x))
EMU_PARTS(__vneg, -x)
EMU_PARTS(__vabsss, emu::saturated<T>(emu::amount(x)))
EMU_PARTS(__vnegss, emu::saturated<T>(-x))
#undef EMU_PARTS

// Dynamic programming's sums and extremes: of 32 bits, and of two halves. relu: at least 0.
namespace emu {
/// Calls `compute` with the 32 bits, or with each half, as numbers of type T.
template <class T, class Compute, class... Word>
inline auto by_halves(const Compute &compute, Word... words) {
  if constexpr (sizeof(T) == 4)
    return compute(static_cast<T>(words)...);
  else
    return static_cast<unsigned>(static_cast<uint16_t>(compute(static_cast<T>(words)...))) |
           static_cast<unsigned>(static_cast<uint16_t>(compute(static_cast<T>(words >> 16)...)))
               << 16;
}
} // namespace emu
#define EMU_DPX_3(NAME, T, WORD, EXPRESSION) \
  template <class = void> WORD NAME(WORD a, WORD b, WORD c) { \
    const auto compute = [](T x, T y, T z) -> T { return static_cast<T>(EXPRESSION); }; \
    return emu::by_halves<T>(compute, a, b, c); \
  }
#define EMU_DPX_2(NAME, T, WORD, EXPRESSION) \
  template <class = void> WORD NAME(WORD a, WORD b) { \
    const auto compute = [](T x, T y) -> T { return static_cast<T>(EXPRESSION); }; \
    return emu::by_halves<T>(compute, a, b); \
  }
// max(x, y) and min(x, y) with NAME as in __viNAME…
#define EMU_DPX_TYPES(NAME) \
  EMU_DPX_SIGNED(NAME, int, int, s32) \
  EMU_DPX_SIGNED(NAME, int16_t, unsigned int, s16x2) \
  EMU_DPX_ALL(NAME, uint32_t, unsigned int, u32) \
  EMU_DPX_ALL(NAME, uint16_t, unsigned int, u16x2)
#define EMU_DPX_SIGNED(NAME, T, WORD, SUFFIX) \
  EMU_DPX_ALL(NAME, T, WORD, SUFFIX) \
  EMU_DPX_3( \
      __viadd##NAME##_##SUFFIX##_relu, \
      T, \
      WORD, \
      std::max<T>(std::NAME<T>(T(static_cast<unsigned>(x) + static_cast<unsigned>(y)), z), 0)) \
  EMU_DPX_3( \
      __vi##NAME##3_##SUFFIX##_relu, T, WORD, std::max<T>(std::NAME<T>(std::NAME<T>(x, y), z), 0)) \
  EMU_DPX_2(__vi##NAME##_##SUFFIX##_relu, T, WORD, std::max<T>(std::NAME<T>(x, y), 0))
#define EMU_DPX_ALL(NAME, T, WORD, SUFFIX) \
  EMU_DPX_3(__viadd##NAME##_##SUFFIX, \
            T, \
            WORD, \
            std::NAME<T>(T(static_cast<unsigned>(x) + static_cast<unsigned>(y)), z)) \
  EMU_DPX_3(__vi##NAME##3_##SUFFIX, T, WORD, std::NAME<T>(std::NAME<T>(x, y), z))
/// And whether it was the first one.
#define EMU_DPX_WHICH(NAME, ORDER, WORD, SUFFIX) \
  inline WORD __vib##NAME##_##SUFFIX(WORD a, WORD b, bool *first) { \
    *first = a ORDER b; \
    return *first ? a : b; \
  }
// Of halves there are two answers: which of the first word's were taken.
#define EMU_DPX_HALVES(NAME, ORDER, T, SUFFIX) \
  inline unsigned int __vib##NAME##_##SUFFIX( \
      unsigned int a, unsigned int b, bool *high, bool *low) { \
    *high = T(a >> 16) ORDER T(b >> 16); \
    *low = T(a) ORDER T(b); \
    return (*high ? a : b) >> 16 << 16 | ((*low ? a : b) & 0xffff); \
  }
EMU_DPX_TYPES(max)
EMU_DPX_TYPES(min)
EMU_DPX_WHICH(max, >=, int, s32)
EMU_DPX_WHICH(max, >=, unsigned int, u32)
EMU_DPX_WHICH(min, <=, int, s32)
EMU_DPX_WHICH(min, <=, unsigned int, u32)
EMU_DPX_HALVES(max, >=, int16_t, s16x2)
EMU_DPX_HALVES(max, >=, uint16_t, u16x2)
EMU_DPX_HALVES(min, <=, int16_t, s16x2)
EMU_DPX_HALVES(min, <=, uint16_t, u16x2)
#undef EMU_DPX_WHICH
#undef EMU_DPX_HALVES
#undef EMU_DPX_TYPES
#undef EMU_DPX_SIGNED
#undef EMU_DPX_ALL
#undef EMU_DPX_3
#undef EMU_DPX_2
/// \endcond
