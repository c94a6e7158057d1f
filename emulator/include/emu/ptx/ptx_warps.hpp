/// \file
/// Instructions of PTX that lanes or threads do together. Included by ptx.hpp.
#pragma once

#include "emu/ptx/ptx_memory.hpp"
#include "emu/runtime/errors.hpp"
#include "emu/warp/lane_matrices.hpp"

namespace emu::ptx {

// ------------------------------------------------------------------------------------ waiting

template <Name op, class M>
requires(is<op>("bar", "barrier") && has(op.view(), "warp")) //
    inline void warps(Site site, const M &lanes) {
  exchange(get<unsigned>(lanes), 0, site);
}
template <Name op, class A>
requires(is<op>("nanosleep")) inline void warps(Site, const A &) { yield(); }
template <Name op>
requires(is<op>("trap", "brkpt")) inline void warps(Site site) { trap(site); }
/// A grid begins when the one before it has ended.
template <Name op>
requires(is<op>("griddepcontrol")) inline void warps(Site) {}
/// How many registers a thread may have is nobody's business here; what a GPU takes is.
template <Name op, class N>
requires(is<op>("setmaxnreg") && (has(op.view(), "inc") || has(op.view(), "dec"))) //
    inline void warps(Site site, const N &registers) {
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    fail_launch(cudaErrorIllegalInstruction,
                "inline_ptx",
                "setmaxnreg takes a multiple of 8 from 24 to 256",
                site);
}

// -------------------------------------------------------------------------- votes and shuffles

template <Name op, class D, class A, class M>
requires(is<op>("vote") &&
         has(op.view(), "sync")) inline void warps(Site site, D &&d, const A &x, const M &m) {
  const Votes votes = emu::votes(get<unsigned>(m), get<bool>(x), site);
  if constexpr (has(op.view(), "ballot"))
    set(d, votes.yes);
  else if constexpr (has(op.view(), "any"))
    set(d, votes.any());
  else if constexpr (has(op.view(), "all"))
    set(d, votes.all());
  else
    set(d, votes.equal());
}
/// One of the lanes, and whether it is this one.
template <Name op, class D, class M>
requires(is<op>("elect") && has(op.view(), "sync")) //
    inline void warps(Site site, D &&d, const M &lanes) {
  const auto [values, met, absent] = exchange(get<unsigned>(lanes), 0, site);
  const int elected = __builtin_ctz(met);
  set(std::get<0>(d), static_cast<unsigned>(elected));
  set(std::get<1>(d), lane_id() == elected);
}
template <Name op, class D>
requires(is<op>("activemask")) inline void warps(Site site, D &&d) { set(d, converge(site)); }
template <Name op, class D, class A, class M>
requires(is<op>("match") &&
         has(op.view(), "any")) inline void warps(Site site, D &&d, const A &x, const M &m) {
  set(d, __match_any_sync(get<unsigned>(m), get<Type<op>>(x), site.file, site.line));
}
template <Name op, class D, class A, class M>
requires(is<op>("redux") &&
         std::is_integral_v<Type<op>>) inline void warps(Site site, D &&d, const A &x, const M &m) {
  using T = Type<op>;
  set(d,
      reduce(
          get<unsigned>(m),
          get<T>(x),
          [](T a, T b) -> T {
            return has<op>("add")
                       ? static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b))
                   : has<op>("min") ? std::min(a, b)
                   : has<op>("max") ? std::max(a, b)
                   : has<op>("and") ? a & b
                   : has<op>("or")  ? a | b
                                    : a ^ b;
          },
          site));
}

/// d takes a of another lane: `c` has the last lane to ask, and which bits of a lane's number stay.
template <Name op, class D, class A, class B, class C, class M>
requires(is<op>("shfl") && has(op.view(), "sync")) //
    inline void warps(Site site, D &&d, const A &x, const B &y, const C &z, const M &m) {
  const int lane = lane_id(), by = get<int>(y) & 31, clamp = get<int>(z) & 31,
            segment = get<int>(z) >> 8 & 31;
  const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  const int source = has<op>("up")     ? lane - by
                     : has<op>("down") ? lane + by
                     : has<op>("bfly") ? lane ^ by
                                       : first | (by & ~segment);
  const bool in_range = has<op>("up") ? source >= last : source <= last;
  const auto value = shuffle(get<unsigned>(m), get<unsigned>(x), in_range ? source : lane, site);
  if constexpr (is_tuple<std::remove_cvref_t<D>>) {
    set(std::get<0>(d), value);
    set(std::get<1>(d), in_range);
  } else {
    set(d, value);
  }
}

// ----------------------------------------------------------------------------------- matrices

/// Matrices of 8 x 8 numbers of 16 bits; lane 8 i + r has the address of row r of matrix i.
template <Name op> constexpr size_t matrices() {
  return has(op.view(), "x4") ? 4 : has(op.view(), "x2") ? 2 : 1;
}
struct MatrixRow {
  alignas(16) uint16_t numbers[8];
};
/// How a lane's two numbers of a matrix lie there.
template <Name op> EMU_UNOBSERVED inline MatrixPlace place_in_matrix(int number) {
  const MatrixPlace place = place_of<8, 2>(lane_id(), number);
  return has<op>("trans") ? MatrixPlace{place.column, place.row} : place;
}
namespace unseen { // see warp/lane_matrices.hpp

/// This lane's numbers, of the rows that the lanes have.
template <Name op, size_t N>
EMU_UNOBSERVED inline void take_numbers(uint16_t (&to)[N], const Exchanged &rows) {
  for (size_t i = 0; i < N; ++i) {
    const MatrixPlace place = place_in_matrix<op>(static_cast<int>(i % 2));
    const size_t lane = i / 2 * 8 + static_cast<size_t>(place.row);
    if (rows.met >> lane & 1)
      to[i] = number_of(rows.values[lane], static_cast<size_t>(place.column));
  }
}
/// The row that is this lane's to store, of the numbers that the lanes have.
template <Name op> EMU_UNOBSERVED inline MatrixRow gather_row(const Exchanged &numbers) {
  MatrixRow row = {};
  const int matrix = lane_id() / 8, r = lane_id() % 8;
  for (int column = 0; column < 8; ++column) {
    const int i = has<op>("trans") ? column : r, j = has<op>("trans") ? r : column;
    row.numbers[column] = number_of(numbers.values[lane_of<8, 2>(i, j)],
                                    static_cast<size_t>(2 * matrix + index_of<8, 2>(i, j)));
  }
  return row;
}

} // namespace unseen
using namespace unseen;

template <Name op, class D>
requires(is<op>("ldmatrix") && has(op.view(), "m8n8")) EMU_INLINE
    void warps(Site site, D &&d, Address from) {
  constexpr size_t n = matrices<op>();
  exchange(~0u, 0, site);
  MatrixRow mine = {};
  if (lane_id() < static_cast<int>(8 * n))
    mine = *reinterpret_cast<const MatrixRow *>(from_shared(from.value));
  uint16_t got[2 * n] = {};
  take_numbers<op>(got, exchange(~0u, reinterpret_cast<uintptr_t>(&mine), site));
  exchange(~0u, 0, site); // until then the rows stay
  set_all(d, got);
}
template <Name op, class A>
requires(is<op>("stmatrix") && has(op.view(), "m8n8")) EMU_INLINE
    void warps(Site site, Address to, const A &x) {
  constexpr size_t n = matrices<op>();
  uint16_t mine[2 * n];
  get_all(mine, x);
  const Exchanged numbers = exchange(~0u, reinterpret_cast<uintptr_t>(mine), site);
  if (lane_id() < static_cast<int>(8 * n))
    *reinterpret_cast<MatrixRow *>(from_shared(to.value)) = gather_row<op>(numbers);
  exchange(~0u, 0, site);
}

/// The sizes in .m16n8k16.
struct Shape {
  int m = 0, n = 0, k = 0;
};
template <Name op> consteval Shape shape() {
  Shape found;
  for (int i = 1; !part(op.view(), i).empty(); ++i) {
    const std::string_view text = part(op.view(), i);
    if (text[0] != 'm' || !(text[1] >= '0' && text[1] <= '9'))
      continue;
    int *to = &found.m;
    for (const char c : text)
      if (c >= '0' && c <= '9')
        *to = 10 * *to + (c - '0');
      else
        to = c == 'm' ? &found.m : c == 'n' ? &found.n : &found.k;
  }
  return found;
}
// Types of a, b and of the sums, and the sizes that tensor cores take since compute capability 8.0.
template <Name op> consteval bool is_product() {
  if constexpr (is<op>("mma") && has(op.view(), "row") && has(op.view(), "col") &&
                part(op.view(), 1) == "sync" && !has(op.view(), "sp")) {
    constexpr std::string_view a = part(op.view(), -3);
    const Shape s = shape<op>();
    const int bits = a == "f64"                  ? 64
                     : a == "tf32"               ? 32
                     : a == "f16" || a == "bf16" ? 16
                     : a == "s8" || a == "u8"    ? 8
                                                 : 0;
    if (bits == 64)
      return s.m == 8 && s.n == 8 && s.k == 4;
    return bits != 0 && s.m == 16 && s.n == 8 && (s.k * bits == 128 || s.k * bits == 256);
  }
  return false;
}
template <Name op, class D, class A, class B, class C>
requires(is_product<op>()) inline void warps(Site site, D &&d, const A &x, const B &y, const C &z) {
  constexpr Shape s = shape<op>();
  using Sum = Type<op, -4>;
  Type<op, -3> a[s.m * s.k / 32];
  Type<op, -2> b[s.n * s.k / 32];
  Type<op> c[s.m * s.n / 32];
  get_all(a, x);
  get_all(b, y);
  get_all(c, z);
  if constexpr (part(op.view(), -3) == "tf32") {
    const auto cut = [](float value) { // what is below the 10 bits of a tf32 is not looked at
      return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & ~0x1fffu);
    };
    std::transform(std::begin(a), std::end(a), std::begin(a), cut);
    std::transform(std::begin(b), std::end(b), std::begin(b), cut);
  }
  Sum sums[s.m * s.n / 32];
  std::transform(
      std::begin(c), std::end(c), std::begin(sums), [](auto v) { return static_cast<Sum>(v); });
  multiply_matrices<s.m, s.n, s.k>(sums, a, b, site);
  set_all(d, sums);
}

} // namespace emu::ptx
