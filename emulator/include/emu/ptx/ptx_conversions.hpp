/// \file
/// PTX's conversions between types of numbers. Included by ptx.hpp.
#pragma once

#include "emu/ptx/ptx_arithmetic.hpp"
#include "emu/warp/lane_matrices.hpp"

namespace emu::ptx {

/// A number rounded as the opcode says: .rni and so on to integers, .rn and so on for 16 bits.
template <Name op> consteval Rounding rounding() {
  constexpr std::string_view o = op.view();
  return has(o, "rzi") || has(o, "rz")   ? Rounding::to_zero
         : has(o, "rmi") || has(o, "rm") ? Rounding::down
         : has(o, "rpi") || has(o, "rp") ? Rounding::up
                                         : Rounding::nearest_even;
}
template <class T, Name op, class From> EMU_UNOBSERVED EMU_INLINE T converted(From a) {
  double wide = 0;
  if constexpr (requires { a.wide(); })
    wide = a.wide();
  else
    wide = static_cast<double>(a);
  if constexpr (has(op.view(), "sat") && !std::is_integral_v<T>)
    wide = wide > 0 ? std::fmin(wide, 1.0) : 0;
  if constexpr (std::is_integral_v<T> && std::is_integral_v<From>)
    return has<op>("sat") ? to_integer<T>(wide) : static_cast<T>(a);
  else if constexpr (std::is_integral_v<T>)
    return to_integer<T>(round_to_integer(wide, rounding<op>()));
  else if constexpr (requires { T::rounded(wide, rounding<op>()); })
    return T::rounded(wide, rounding<op>());
  else if constexpr (std::is_same_v<T, From> && std::is_floating_point_v<T>) {
    constexpr bool to_integral = has(op.view(), "rni") || has(op.view(), "rzi") ||
                                 has(op.view(), "rmi") || has(op.view(), "rpi");
    return static_cast<T>(to_integral ? round_to_integer(wide, rounding<op>()) : wide);
  } else
    return static_cast<T>(wide);
}
template <Name op, class D, class A>
requires(is<op>("cvt") && part(op.view(), -2) != "tf32") EMU_UNOBSERVED EMU_INLINE
    void arithmetic(D &&d, const A &x) {
  using To = Type<op, -2>;
  if constexpr (requires(To pair) { pair.x; })
    static_cast<void>(d); // takes two
  else {
    const To result = converted<To, op>(get<Type<op>>(x));
    if constexpr (std::is_integral_v<To>)
      set(d, result);
    else
      set(d, get<Unsigned<To>>(result));
  }
}
template <Name op, class D, class A>
requires(is<op>("cvt") && part(op.view(), -2) == "tf32") EMU_UNOBSERVED EMU_INLINE
    void arithmetic(D &&d, const A &x) {
  set(d, __builtin_bit_cast(unsigned, to_tf32(get<float>(x))));
}
/// Two numbers into a pair: the first one is the upper half.
template <Name op, class D, class A, class B>
requires(is<op>("cvt")) EMU_UNOBSERVED EMU_INLINE
    void arithmetic(D &&d, const A &high, const B &low) {
  using Pair = Type<op, -2>;
  using Number = decltype(Pair::x);
  set(d,
      get<unsigned>(
          Pair{converted<Number, op>(get<float>(low)), converted<Number, op>(get<float>(high))}));
}

} // namespace emu::ptx
