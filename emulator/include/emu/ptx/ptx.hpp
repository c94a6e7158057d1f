/// \file
/// Instructions of PTX, as the rewriter writes them for `asm`: `run<"lop3.b32">(here(), d, a, b, c, 0x96)`. Names,
/// types and operands are those of the PTX ISA; what is not here ends the launch, and the compiler warns.
#pragma once

#include <algorithm>
#include <string_view>
#include <tuple>

#include "emu/engine/cluster.hpp"
#include "emu/math/float16.hpp"
#include "emu/math/math_integer.hpp"
#include "emu/memory/device_functions.hpp"
#include "emu/warp/sync.hpp"

namespace emu::ptx {

inline Site here(EMU_SITE) { return EMU_HERE; }

inline unsigned warpid() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32;
}
inline unsigned nwarpid() { return 64; }
inline uint64_t gridid() { return current_launch; }

// ---------------------------------------------------------------------------- opcodes and types

/// An opcode with its modifiers, as a template's argument.
template <size_t N> struct Name {
  consteval Name(const char (&written)[N]) { std::copy_n(written, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
  char text[N];
};

/// The part of an opcode behind `index` dots; from the end, if that is negative. Empty where there is none.
constexpr std::string_view part(std::string_view op, int index) {
  if (index < 0)
    index += static_cast<int>(std::count(op.begin(), op.end(), '.')) + 1;
  // g++ 12 does not evaluate find() here.
  const auto length = [&op] {
    size_t end = 0;
    while (end < op.size() && op[end] != '.')
      ++end;
    return end;
  };
  for (; index > 0; --index)
    op.remove_prefix(std::min(length() + 1, op.size()));
  return index < 0 ? std::string_view() : op.substr(0, length());
}
constexpr bool has(std::string_view op, std::string_view modifier) {
  for (int i = 1; !part(op, i).empty(); ++i)
    if (part(op, i) == modifier)
      return true;
  return false;
}
/// The same where a kernel runs, which takes no opcode apart.
template <Name op> consteval bool has(std::string_view modifier) {
  return has(op.view(), modifier);
}

using Half = Float16<HalfFormat>;
using Half2 = Float16x2<HalfFormat>;
using Bfloat = Float16<BfloatFormat>;
using Bfloat2 = Float16x2<BfloatFormat>;
using U64 = unsigned long long; // as CUDA's functions have it
using S64 = long long;

template <Name type> constexpr auto value_of_type() {
  constexpr std::string_view t = type.view();
  if constexpr (t == "pred")
    return false;
  else if constexpr (t == "u8" || t == "b8")
    return uint8_t{};
  else if constexpr (t == "s8")
    return int8_t{};
  else if constexpr (t == "u16" || t == "b16")
    return uint16_t{};
  else if constexpr (t == "s16")
    return int16_t{};
  else if constexpr (t == "u32" || t == "b32")
    return 0u;
  else if constexpr (t == "s32")
    return 0;
  else if constexpr (t == "u64" || t == "b64")
    return U64{};
  else if constexpr (t == "s64")
    return S64{};
  else if constexpr (t == "f16")
    return Half();
  else if constexpr (t == "bf16")
    return Bfloat();
  else if constexpr (t == "f16x2")
    return Half2();
  else if constexpr (t == "bf16x2")
    return Bfloat2();
  else if constexpr (t == "f32" || t == "tf32")
    return 0.0f;
  else if constexpr (t == "f64")
    return 0.0;
}
/// A variable of `.reg`.
template <Name type> using Register = decltype(value_of_type<type>());

// Part `index` of an opcode as a type of its own.
template <Name op, int index> consteval auto name_of_part() {
  constexpr std::string_view text = part(op.view(), index);
  char copy[text.size() + 1] = {};
  std::copy(text.begin(), text.end(), copy);
  return Name<text.size() + 1>(copy);
}
/// The type that an opcode names: -1 its last one, -2 the one before.
template <Name op, int index = -1> using Type = Register<name_of_part<op, index>()>;
/// Of an access to memory.
template <Name op> constexpr size_t lanes_of_vector() {
  return has(op.view(), "v4") ? 4 : has(op.view(), "v2") ? 2 : 1;
}

/// The same integer, without or with a sign, of twice the bits.
template <class T>
using Twice = std::conditional_t<
    sizeof(T) == 4,
    std::conditional_t<std::is_signed_v<T>, S64, U64>,
    std::conditional_t<sizeof(T) == 2,
                       std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
template <class T> using Unsigned = UnsignedOfSize<sizeof(T)>;

// ------------------------------------------------------------------------------------ operands

/// What stands in [ ].
struct Address {
  uint64_t value;
};
/// `_`: nobody wants it.
struct Sink {};

/// The value of a register or a number, as type T.
template <class T, class X> EMU_UNOBSERVED EMU_INLINE T get(const X &x) {
  if constexpr (std::is_pointer_v<X>)
    return static_cast<T>(reinterpret_cast<uintptr_t>(x));
  else if constexpr (std::is_integral_v<T> && std::is_integral_v<X>)
    return static_cast<T>(x);
  else if constexpr (std::is_enum_v<X> && std::is_integral_v<T>)
    return static_cast<T>(x);
  else {
    T value{};
    __builtin_memcpy(static_cast<void *>(&value), &x, std::min(sizeof value, sizeof x));
    return value;
  }
}
/// What an instruction wrote, to a register of whatever type.
template <class X> EMU_UNOBSERVED EMU_INLINE void set(X &&x, const auto &value) {
  using To = std::remove_reference_t<X>;
  if constexpr (std::is_same_v<std::remove_cv_t<To>, Sink>)
    return;
  else
    x = get<std::remove_cv_t<To>>(value);
}
// Operands in { } or with | are tuples.
template <class X> inline constexpr bool is_tuple = false;
template <class... X> inline constexpr bool is_tuple<std::tuple<X...>> = true;
/// Registers one after the other, as an array of T's.
template <class T, size_t N, class X>
EMU_UNOBSERVED EMU_INLINE void get_all(T (&to)[N], const X &x) {
  char *at = reinterpret_cast<char *>(to);
  const auto put = [&](const auto &one) {
    __builtin_memcpy(at, &one, sizeof one);
    at += sizeof one;
  };
  if constexpr (is_tuple<X>) {
    static_assert((sizeof(T) * N) % std::tuple_size_v<X> == 0);
    std::apply([&](const auto &...one) { (put(one), ...); }, x);
  } else {
    put(x);
  }
}
template <class T, size_t N, class X>
EMU_UNOBSERVED EMU_INLINE void set_all(X &&x, const T (&from)[N]) {
  const char *at = reinterpret_cast<const char *>(from);
  const auto take = [&](auto &one) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(one)>>)
      __builtin_memcpy(static_cast<void *>(&one), at, sizeof one);
    at += sizeof one;
  };
  if constexpr (is_tuple<std::remove_cvref_t<X>>)
    std::apply([&](auto &...one) { (take(one), ...); }, x);
  else
    take(x);
}

/// Addresses of shared memory have 32 bits: how far from where a block's begins, in either direction. Those of
/// other blocks of the cluster say in their upper bits which one it is.
constexpr uint32_t shared_base = 1024;
constexpr int window_bits = 24;
/// Of what lies in the shared memory of this block of the cluster.
EMU_UNOBSERVED inline uint32_t in_window_of(const void *p, unsigned rank) {
  return (rank + 1) << window_bits |
         (static_cast<uint32_t>(static_cast<const char *>(p) - shared_of(rank)) + shared_base);
}
EMU_UNOBSERVED inline uint32_t to_shared(const void *p) {
  if (!is_shared_here(p)) [[unlikely]]
    if (const int rank = rank_of_shared(p); rank >= 0)
      return in_window_of(p, static_cast<unsigned>(rank));
  return static_cast<uint32_t>(static_cast<const char *>(p) - static_shared) + shared_base;
}
EMU_UNOBSERVED inline char *from_shared(uint64_t address) {
  const auto low = static_cast<uint32_t>(address);
  if (const uint32_t window = low >> window_bits; window != 0) [[unlikely]]
    if (char *const memory = shared_of(window - 1))
      return memory + (low & ((1u << window_bits) - 1)) - shared_base;
  return static_shared + static_cast<int32_t>(low - shared_base);
}
template <Name op, class T> EMU_UNOBSERVED EMU_INLINE T *pointer(Address a) {
  constexpr bool shared = has(op.view(), "shared") || has(op.view(), "shared::cta") ||
                          has(op.view(), "shared::cluster");
  return shared ? reinterpret_cast<T *>(from_shared(a.value)) : reinterpret_cast<T *>(a.value);
}

template <Name op, class... Operands> EMU_INLINE void run(Site site, Operands &&...operands);

} // namespace emu::ptx

inline size_t __cvta_generic_to_shared(const void *p) { return emu::ptx::to_shared(p); }
inline size_t __cvta_generic_to_global(const void *p) { return reinterpret_cast<size_t>(p); }
inline size_t __cvta_generic_to_constant(const void *p) { return reinterpret_cast<size_t>(p); }
inline void *__cvta_shared_to_generic(size_t address) { return emu::ptx::from_shared(address); }
inline void *__cvta_global_to_generic(size_t address) { return reinterpret_cast<void *>(address); }

#include "emu/ptx/ptx_arithmetic.hpp"
#include "emu/ptx/ptx_barriers.hpp"
#include "emu/ptx/ptx_bulk.hpp"
#include "emu/ptx/ptx_clusters.hpp"
#include "emu/ptx/ptx_conversions.hpp"
#include "emu/ptx/ptx_memory.hpp"
#include "emu/ptx/ptx_warps.hpp"

/// \name Choosing by the opcode
/// @{
namespace emu::ptx {

template <Name op, class... Operands> EMU_INLINE void run(Site site, Operands &&...operands) {
  if constexpr (requires { arithmetic<op>(operands...); })
    arithmetic<op>(operands...);
  else if constexpr (requires { memory<op>(site, operands...); })
    memory<op>(site, operands...);
  else if constexpr (requires { warps<op>(site, operands...); })
    warps<op>(site, operands...);
  else if constexpr (requires { barriers<op>(site, operands...); })
    barriers<op>(site, operands...);
  else if constexpr (requires { bulk<op>(site, operands...); })
    bulk<op>(site, operands...);
  else if constexpr (requires { clusters<op>(site, operands...); })
    clusters<op>(site, operands...);
  else
    misfit_ptx(op.text, sizeof...(operands), site.file, site.line);
}

} // namespace emu::ptx
/// @}
