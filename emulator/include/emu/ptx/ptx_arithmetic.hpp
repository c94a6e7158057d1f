/// \file
/// Instructions of PTX on registers alone. Included by ptx.hpp.
#pragma once

#include "emu/math/math_fast.hpp"
#include "emu/math/math_integer.hpp"
#include "emu/ptx/ptx.hpp"

namespace emu::ptx {

/// Whether an opcode begins with one of these.
template <Name op, class... Words> consteval bool is(Words... words) {
  return ((part(op.view(), 0) == words) || ...);
}
template <Name op> consteval bool is_float() { return !std::is_integral_v<Type<op>>; }
/// Other ways of rounding are not there.
template <Name op> consteval bool to_nearest() {
  return !is_float<op>() || !(has(op.view(), "rz") || has(op.view(), "rm") || has(op.view(), "rp"));
}

/// The carry, that instructions with .cc leave for the next one.
inline thread_local bool carry = false;

/// Does it for each half of a pair, and for everything else at once.
template <class T, class Do, class... More>
EMU_UNOBSERVED EMU_INLINE T each(const Do &what, T a, More... more) {
  if constexpr (requires { a.x; })
    return {what(a.x, more.x...), what(a.y, more.y...)};
  else
    return what(a, more...);
}
template <class T> EMU_UNOBSERVED EMU_INLINE T lesser(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return b < a ? b : a;
  else if constexpr (std::is_floating_point_v<T>)
    return std::fmin(a, b);
  else
    return each([](auto x, auto y) { return lesser_of(x, y); }, a, b);
}
template <class T> EMU_UNOBSERVED EMU_INLINE T greater(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a < b ? b : a;
  else if constexpr (std::is_floating_point_v<T>)
    return std::fmax(a, b);
  else
    return each([](auto x, auto y) { return greater_of(x, y); }, a, b);
}
template <class T> EMU_UNOBSERVED EMU_INLINE T fused(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, c);
  else
    return each([](auto x, auto y, auto z) { return decltype(x)::fused(x, y, z); }, a, b, c);
}

// a + b with the carry, or a - b with the borrow.
template <Name op, class T> EMU_UNOBSERVED EMU_INLINE T sum(T a, T b) {
  constexpr bool minus = is<op>("sub", "subc"), takes = is<op>("addc", "subc", "madc");
  if constexpr (!std::is_integral_v<T>) {
    const T result = minus ? a - b : a + b;
    return has<op>("sat") ? lesser(greater(result, T{}), T(1)) : result;
  } else if constexpr (has(op.view(), "sat")) {
    return get<T>(to_integer<T>(minus ? static_cast<double>(a) - b : static_cast<double>(a) + b));
  } else {
    using U = Unsigned<T>;
    U result;
    bool out;
    if (minus)
      out = __builtin_sub_overflow(U(a), U(b), &result);
    else
      out = __builtin_add_overflow(U(a), U(b), &result);
    if (takes && carry)
      out |= minus ? result-- == 0 : ++result == 0;
    if constexpr (has(op.view(), "cc"))
      carry = out;
    return T(result);
  }
}
// The product, or the part of it that the opcode names.
template <Name op, class T> EMU_UNOBSERVED EMU_INLINE auto product(T a, T b) {
  if constexpr (!std::is_integral_v<T>)
    return a * b;
  else if constexpr (has(op.view(), "wide"))
    return static_cast<Twice<T>>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b));
  else if constexpr (has(op.view(), "hi"))
    return static_cast<T>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b) >> 8 * sizeof(T));
  else
    return static_cast<T>(Unsigned<T>(a) * Unsigned<T>(b));
}

// ------------------------------------------------------------------------------ two operands

template <Name op, class D, class A, class B>
requires(
    is<op>("add", "sub", "addc", "subc", "mul", "div", "rem", "min", "max", "and", "or", "xor") &&
    to_nearest<op>()) //
    EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x, const B &y) {
  using T = Type<op>;
  const T a = get<T>(x), b = get<T>(y);
  if constexpr (is<op>("mul"))
    set(d, product<op>(a, b));
  else if constexpr (is<op>("div"))
    set(d, a / b);
  else if constexpr (is<op>("rem"))
    set(d, a % b);
  else if constexpr (is<op>("min"))
    set(d, lesser(a, b));
  else if constexpr (is<op>("max"))
    set(d, greater(a, b));
  else if constexpr (is<op>("and"))
    set(d, static_cast<T>(a & b));
  else if constexpr (is<op>("or"))
    set(d, static_cast<T>(a | b));
  else if constexpr (is<op>("xor"))
    set(d, static_cast<T>(a ^ b));
  else
    set(d, sum<op>(a, b));
}

template <Name op, class D, class A, class B>
requires(is<op>("shl", "shr")) EMU_UNOBSERVED EMU_INLINE
    void arithmetic(D &&d, const A &x, const B &by) {
  using T = Type<op>;
  constexpr unsigned bits = 8 * sizeof(T);
  const T a = get<T>(x);
  const unsigned n = get<unsigned>(by);
  if constexpr (is<op>("shl"))
    set(d, static_cast<T>(n >= bits ? 0 : Unsigned<T>(a) << n));
  else
    set(d, static_cast<T>(a >> (n < bits ? n : bits - 1) >> (n < bits ? 0 : 1)));
}

template <Name op, class D, class A, class B>
requires(is<op>("setp")) EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x, const B &y) {
  using T = Type<op>;
  const T a = get<T>(x), b = get<T>(y);
  constexpr std::string_view how = part(op.view(), 1);
  // The unordered ones hold where a number is NaN.
  constexpr bool unordered =
      how == "equ" || how == "neu" || how == "ltu" || how == "leu" || how == "gtu" || how == "geu";
  const bool nan = a != a || b != b;
  bool result = false;
  if constexpr (how == "eq" || how == "equ")
    result = a == b;
  else if constexpr (how == "ne" || how == "neu")
    result = a != b && !nan;
  else if constexpr (how == "lt" || how == "ltu" || how == "lo")
    result = a < b;
  else if constexpr (how == "le" || how == "leu" || how == "ls")
    result = a <= b;
  else if constexpr (how == "gt" || how == "gtu" || how == "hi")
    result = a > b;
  else
    result = a >= b;
  result |= unordered && nan;
  if constexpr (is_tuple<std::remove_cvref_t<D>>) {
    std::get<0>(d) = result;
    std::get<1>(d) = !result;
  } else {
    d = result;
  }
}

// -------------------------------------------------------------------------------- one operand

template <Name op, class D, class A>
requires(is<op>("abs", "neg", "not", "cnot", "popc", "clz", "brev", "bfind")) //
    EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x) {
  using T = Type<op>;
  const T a = get<T>(x);
  if constexpr (is<op>("abs")) {
    set(d, each([](auto v) { return v < decltype(v)(0) ? decltype(v)(-v) : v; }, a));
  } else if constexpr (is<op>("neg")) {
    set(d, each([](auto v) { return decltype(v)(-v); }, a));
  } else if constexpr (is<op>("not")) {
    if constexpr (std::is_same_v<T, bool>)
      set(d, !a);
    else
      set(d, static_cast<T>(~a));
  } else if constexpr (is<op>("cnot")) {
    set(d, static_cast<T>(a == 0));
  } else {
    const auto bits = static_cast<Unsigned<T>>(a);
    if constexpr (is<op>("popc"))
      set(d, __builtin_popcountll(bits));
    else if constexpr (is<op>("clz"))
      set(d, sizeof(T) == 8 ? __clzll(static_cast<S64>(bits)) : __clz(static_cast<int>(bits)));
    else if constexpr (is<op>("brev"))
      set(d, static_cast<T>(sizeof(T) == 8 ? __brevll(bits) : __brev(static_cast<unsigned>(bits))));
    else { // bfind: the highest bit that is no sign
      const U64 wide = std::is_signed_v<T> && a < 0 ? static_cast<Unsigned<T>>(~bits) : bits;
      const unsigned highest = wide == 0 ? ~0u : 63 - static_cast<unsigned>(__builtin_clzll(wide));
      set(d, has<op>("shiftamt") && wide != 0 ? 8 * sizeof(T) - 1 - highest : highest);
    }
  }
}

// The special function unit's approximations.
template <Name op, class D, class A>
requires(is<op>("rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh") && to_nearest<op>()) //
    EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x) {
  using T = Type<op>;
  const auto one = [](auto value) {
    const double a = static_cast<double>(value);
    double result;
    if constexpr (is<op>("rcp"))
      result = 1 / a;
    else if constexpr (is<op>("sqrt"))
      result = std::sqrt(a);
    else if constexpr (is<op>("rsqrt"))
      result = 1 / std::sqrt(a);
    else if constexpr (is<op>("ex2"))
      result = std::exp2(a);
    else if constexpr (is<op>("lg2"))
      result = static_cast<double>(__log2f(static_cast<float>(a)));
    else if constexpr (is<op>("sin"))
      result = static_cast<double>(__sinf(static_cast<float>(a)));
    else if constexpr (is<op>("cos"))
      result = static_cast<double>(__cosf(static_cast<float>(a)));
    else
      result = std::tanh(a);
    return static_cast<decltype(value)>(result);
  };
  set(d,
      each(
          [&one](auto v) {
            if constexpr (requires { v.wide(); })
              return decltype(v)(one(v.wide()));
            else
              return one(v);
          },
          get<T>(x)));
}

// Moves: also of parts into a whole, and back.
template <Name op, class D, class A>
requires(is<op>("mov", "cvta")) EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x) {
  using T = Type<op>;
  constexpr bool shared = has(op.view(), "shared");
  if constexpr (is<op>("cvta") && shared && has(op.view(), "to"))
    set(d, static_cast<U64>(to_shared(reinterpret_cast<void *>(get<uint64_t>(x)))));
  else if constexpr (is<op>("cvta") && shared)
    set(d, reinterpret_cast<U64>(from_shared(get<uint64_t>(x))));
  else if constexpr (is_tuple<A> || is_tuple<std::remove_cvref_t<D>>) {
    unsigned char whole[sizeof(T)] = {};
    get_all(whole, x);
    set_all(d, whole);
  } else
    set(d, get<T>(x));
}

// ------------------------------------------------------------------------- three and more

template <Name op, class D, class A, class B, class C>
requires(is<op>("mad", "madc", "fma", "bfe", "shf", "dp4a", "sad", "prmt", "selp", "slct") &&
         to_nearest<op>()) //
    EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x, const B &y, const C &z) {
  using T = Type<op>;
  if constexpr (is<op>("fma")) {
    const T result = fused(get<T>(x), get<T>(y), get<T>(z));
    set(d, has<op>("sat") ? lesser(greater(result, T{}), T(1)) : result);
  } else if constexpr (is<op>("mad", "madc")) {
    if constexpr (is_float<op>()) {
      set(d, fused(get<T>(x), get<T>(y), get<T>(z)));
    } else {
      const auto ab = product<op>(get<T>(x), get<T>(y));
      set(d, sum<op>(ab, get<std::remove_const_t<decltype(ab)>>(z)));
    }
  } else if constexpr (is<op>("bfe")) { // bits [start, start + length), with their sign
    constexpr unsigned bits = 8 * sizeof(T);
    const T a = get<T>(x);
    const unsigned start = get<unsigned>(y) & 255, length = get<unsigned>(z) & 255;
    const unsigned end = std::min(start + length, bits);
    if (length == 0)
      set(d, T{});
    else if (start >= bits)
      set(d, static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0));
    else
      set(d,
          static_cast<T>(static_cast<T>(Unsigned<T>(a) << (bits - end)) >> (bits - end + start)));
  } else if constexpr (is<op>("shf")) {
    const auto low = get<unsigned>(x), high = get<unsigned>(y), by = get<unsigned>(z);
    constexpr bool left = has(op.view(), "l"), clamps = has(op.view(), "clamp");
    set(d,
        left ? (clamps ? __funnelshift_lc(low, high, by) : __funnelshift_l(low, high, by))
             : (clamps ? __funnelshift_rc(low, high, by) : __funnelshift_r(low, high, by)));
  } else if constexpr (is<op>("dp4a")) {
    set(d, __dp4a(get<T>(x), get<T>(y), get<T>(z)));
  } else if constexpr (is<op>("sad")) {
    const T a = get<T>(x), b = get<T>(y);
    set(d, static_cast<T>((a < b ? b - a : a - b) + get<T>(z)));
  } else if constexpr (is<op>("prmt")) {
    set(d, __byte_perm(get<unsigned>(x), get<unsigned>(y), get<unsigned>(z)));
  } else if constexpr (is<op>("selp")) {
    set(d, get<bool>(z) ? get<T>(x) : get<T>(y));
  } else {
    set(d, get<Type<op>>(z) >= Type<op>{} ? get<Type<op, -2>>(x) : get<Type<op, -2>>(y));
  }
}

template <Name op, class D, class A, class B, class C, class E>
requires(is<op>("bfi", "lop3")) //
    EMU_UNOBSERVED EMU_INLINE
    void arithmetic(D &&d, const A &x, const B &y, const C &z, const E &w) {
  using T = Type<op>;
  const T a = get<T>(x), b = get<T>(y);
  if constexpr (is<op>("bfi")) { // a into b
    constexpr unsigned bits = 8 * sizeof(T);
    const unsigned start = get<unsigned>(z) & 255, length = get<unsigned>(w) & 255;
    const T ones = length >= bits ? ~T{} : (T{1} << length) - 1;
    const T mask = start >= bits ? T{} : static_cast<T>(ones << start);
    set(d, static_cast<T>((b & ~mask) | (start >= bits ? T{} : (a << start & mask))));
  } else { // lop3: bit 4a + 2b + c of a table
    const T c = get<T>(z);
    T result{};
    for (unsigned i = 0; i < 8; ++i)
      if (get<unsigned>(w) >> i & 1)
        result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    set(d, result);
  }
}

/// Differences of bytes: their amounts, or with .add the sum of these.
template <Name op, class D, class A, class B, class C>
requires(is<op>("vabsdiff4")) //
    EMU_UNOBSERVED EMU_INLINE void arithmetic(D &&d, const A &x, const B &y, const C &z) {
  using T = std::conditional_t<part(op.view(), 2) == "s32", int8_t, uint8_t>;
  T a[4], b[4];
  get_all(a, get<unsigned>(x));
  get_all(b, get<unsigned>(y));
  unsigned bytes = 0, total = get<unsigned>(z);
  for (unsigned i = 0; i < 4; ++i) {
    const auto amount = static_cast<unsigned>(a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]);
    bytes |= amount << 8 * i;
    total += amount;
  }
  set(d, has<op>("add") ? total : bytes);
}

} // namespace emu::ptx
