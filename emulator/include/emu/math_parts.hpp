/// \file
/// Functions on the two or four integers that lie in 32 bits: `__vadd2`, `__vmaxu4` and their kin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace emu {

/// Does it for each pair of parts of type T. `compute` gets and gives ints; what does not fit is cut off.
template <class T, class Compute>
inline unsigned by_parts(unsigned a, unsigned b, const Compute &compute) {
  constexpr unsigned bits = 8 * sizeof(T), ones = (1u << bits) - 1;
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += bits)
    result |= (static_cast<unsigned>(compute(T(a >> at), T(b >> at))) & ones) << at;
  return result;
}
/// The sum of what is computed for all parts.
template <class T, class Compute>
inline unsigned sum_of_parts(unsigned a, unsigned b, const Compute &compute) {
  unsigned sum = 0;
  for (unsigned at = 0; at < 32; at += 8 * sizeof(T))
    sum += static_cast<unsigned>(compute(T(a >> at), T(b >> at)));
  return sum;
}
template <class T> constexpr int saturated(int value) {
  return std::clamp<int>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}
constexpr int amount(int a) { return a < 0 ? -a : a; }

} // namespace emu

// NAME2 and NAME4, of parts with a sign (s) or without (u).
#define EMU_PARTS(NAME, S, HOW, EXPRESSION) \
  inline unsigned int NAME##2(unsigned int a, unsigned int b) { \
    using T = S##int16_t; \
    return emu::HOW<T>(a, b, [](int x, int y) -> int { return EXPRESSION; }); \
  } \
  inline unsigned int NAME##4(unsigned int a, unsigned int b) { \
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
  inline unsigned int NAME##2(unsigned int a) { \
    using T = int16_t; \
    return emu::by_parts<T>(a, a, [](int x, int) -> int { return EXPRESSION; }); \
  } \
  inline unsigned int NAME##4(unsigned int a) { \
    using T = int8_t; \
    return emu::by_parts<T>(a, a, [](int x, int) -> int { return EXPRESSION; }); \
  }
EMU_PARTS(__vabs, emu::amount(x))
EMU_PARTS(__vneg, -x)
EMU_PARTS(__vabsss, emu::saturated<T>(emu::amount(x)))
EMU_PARTS(__vnegss, emu::saturated<T>(-x))
#undef EMU_PARTS
