// Integer intrinsics and casts between the bits of a number and the number.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/language/types.hpp"

// ------------------------------------------------------------------------- counting bits

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
/// Position of the lowest bit that is set, counted from 1; 0 if there is none.
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
/// How many zeros lead; all 32 (64) for zero.
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
/// The bits in reverse order.
inline unsigned int __brev(unsigned int x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  const unsigned low = __brev(static_cast<unsigned>(x));
  return static_cast<unsigned long long>(low) << 32 | __brev(static_cast<unsigned>(x >> 32));
}
/// Position of the offset-th set bit from bit `base` on (upwards if offset > 0, downwards if
/// offset < 0, base itself if 0 and set); all ones if there is none.
inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0)
    return base < 32 && (mask >> base & 1) ? base : 0xFFFFFFFFu;
  const int step = offset > 0 ? 1 : -1;
  for (int i = static_cast<int>(base), left = offset * step; i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) && --left == 0)
      return static_cast<unsigned>(i);
  return 0xFFFFFFFFu;
}

// ------------------------------------------------------------------------- bytes and shifts

/// Four bytes picked from the eight of y:x (x's are 0 to 3). Of each of the four selectors, four
/// bits wide, only the low three count.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selectors) {
  const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> 4 * i & 7;
    result |= (static_cast<unsigned>(bytes >> 8 * selector) & 0xFF) << 8 * i;
  }
  return result;
}

// The 64 bits high:low shifted; the upper or lower word of it. _l and _r take the shift modulo 32,
// _lc and _rc clamp it to 32.
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ------------------------------------------------------------------------- products

inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<int64_t>(x) * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

namespace emu {

/// The unsigned type of so many bytes.
template <size_t bytes>
using UnsignedOfSize = std::conditional_t<
    bytes == 8,
    unsigned long long,
    std::conditional_t<bytes == 4,
                       unsigned int,
                       std::conditional_t<bytes == 2, unsigned short, unsigned char>>>;

/// The low 24 bits with bit 23 as the sign.
inline int sign_extend_24(int x) { return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8; }

/// The numbers of type T that a word consists of.
template <class T> inline auto part_of(auto word, unsigned index) {
  return static_cast<T>(static_cast<unsigned>(word) >> 8 * sizeof(T) * index);
}
/// The bits of a word, or of a vector of 32 bits: for clang's device code no bit_cast takes these.
inline auto word_of(auto value) {
  unsigned word;
  static_assert(sizeof value == sizeof word);
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}
/// accumulator + the sum of a's parts of type A times b's parts of type B from `first` on, modulo 2^32.
/// a and b are words, or vectors of 32 bits.
template <class A, class B, class Word>
inline auto dot(auto a, auto b, Word accumulator, int first = 0) {
  const unsigned a_parts = word_of(a), b_parts = word_of(b);
  unsigned sum = static_cast<unsigned>(accumulator);
  for (unsigned i = 0; i < 4 / sizeof(A); ++i)
    sum += static_cast<unsigned>(part_of<A>(a_parts, i) *
                                 part_of<B>(b_parts, static_cast<unsigned>(first) + i));
  return static_cast<Word>(sum);
}

} // namespace emu

/// The low 32 bits of the product of the operands' low 24 bits.
inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<int64_t>(emu::sign_extend_24(x)) * emu::sign_extend_24(y));
}
inline unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xFFFFFFu) * (y & 0xFFFFFFu);
}

/// c + the dot product of a's and b's four bytes.
inline int __dp4a(int a, int b, int c) { return emu::dot<int8_t, int8_t>(a, b, c); }
inline int __dp4a(char4 a, char4 b, int c) { return emu::dot<int8_t, int8_t>(a, b, c); }
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return emu::dot<uint8_t, uint8_t>(a, b, c);
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return emu::dot<uint8_t, uint8_t>(a, b, c);
}
/// c + the dot product of a's two halves and b's two low (high) bytes.
inline int __dp2a_lo(int a, int b, int c) { return emu::dot<int16_t, int8_t>(a, b, c); }
inline int __dp2a_hi(int a, int b, int c) { return emu::dot<int16_t, int8_t>(a, b, c, 2); }
inline int __dp2a_lo(short2 a, char4 b, int c) { return emu::dot<int16_t, int8_t>(a, b, c); }
inline int __dp2a_hi(short2 a, char4 b, int c) { return emu::dot<int16_t, int8_t>(a, b, c, 2); }
inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return emu::dot<uint16_t, uint8_t>(a, b, c);
}
inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return emu::dot<uint16_t, uint8_t>(a, b, c, 2);
}
inline unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) {
  return emu::dot<uint16_t, uint8_t>(a, b, c);
}
inline unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) {
  return emu::dot<uint16_t, uint8_t>(a, b, c, 2);
}

// ------------------------------------------------------------------------- sums

/// |x - y| + z
inline unsigned int __sad(int x, int y, unsigned int z) {
  const int64_t difference = static_cast<int64_t>(x) - y;
  return z + static_cast<unsigned>(difference < 0 ? -difference : difference);
}
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return z + (x < y ? y - x : x - y);
}
// The mean of two numbers without overflow, rounded down; the r forms round up.
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<int64_t>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<int64_t>(x) + y + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y) >> 1);
}
inline unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y + 1) >> 1);
}

// ------------------------------------------------------------------------- the bits of a number

namespace emu {

template <class To, class From> inline auto bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

} // namespace emu

inline int __float_as_int(float x) { return emu::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return emu::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return emu::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return emu::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return emu::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return emu::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  const uint64_t bits = static_cast<uint64_t>(static_cast<unsigned>(high)) << 32;
  return emu::bit_cast<double>(bits | static_cast<unsigned>(low));
}
