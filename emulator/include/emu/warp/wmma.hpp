/// \file
/// nvcuda::wmma: a warp's matrices as fragments. Lanes hold of an accumulator what they hold of PTX's.
#pragma once

#include "emu/language/letters_away.hpp"

#include "emu/warp/lane_matrices.hpp"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

} // namespace nvcuda::wmma

namespace emu {

template <class T> struct FragmentElement { using type = T; };
template <> struct FragmentElement<nvcuda::wmma::precision::tf32> { using type = float; };

/// Which products there are: sizes, and types of the operands and of the sum.
template <int M, int N, int K, class T> constexpr bool is_wmma() {
  constexpr bool wide = (M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32);
  if constexpr (std::is_same_v<T, double>)
    return M == 8 && N == 8 && K == 4;
  else if constexpr (std::is_same_v<T, nvcuda::wmma::precision::tf32>)
    return M == 16 && N == 16 && K == 8;
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, int>)
    return (wide && K == 16) || (M == 16 && N == 16 && K == 8) ||
           (M == 8 && N == 8 && (K == 32 || K == 128));
  else
    return wide && K == 16 && sizeof(T) <= 2;
}

/// \tparam Rows, Columns  of the matrix; of matrix_b, of its transpose
template <int Rows, int Columns, int Run, class T> struct LaneMatrix {
  using element_type = T;
  using storage_element_type = T;
  static constexpr int num_elements = Rows * Columns / 32;
  static constexpr int num_storage_elements = num_elements;
  T x[num_elements];

  /// Calls `use` with each element of this lane and where it lies, counted in elements from the first one.
  EMU_INLINE void each(bool rows_are_contiguous, unsigned stride, const auto &use) {
    for (int i = 0; i < num_elements; ++i) {
      const auto [row, column] = place_of<Rows, Run>(lane_id(), i);
      use(x[i],
          rows_are_contiguous
              ? size_t{stride} * static_cast<unsigned>(row) + static_cast<unsigned>(column)
              : size_t{stride} * static_cast<unsigned>(column) + static_cast<unsigned>(row));
    }
  }
};

/// How many elements lie in a word of 4 bytes, the first one lowest; 0: they have bytes of their own.
template <class T> inline constexpr int packed_in_word = 0;
template <> inline constexpr int packed_in_word<nvcuda::wmma::experimental::precision::u4> = 8;
template <> inline constexpr int packed_in_word<nvcuda::wmma::experimental::precision::s4> = 8;
template <> inline constexpr int packed_in_word<nvcuda::wmma::experimental::precision::b1> = 32;
template <class T> struct Unpacked {
  int8_t value;
  operator double() const { return value; }
};
template <class T> inline constexpr int run_of<Unpacked<T>> = packed_in_word<T>;

/// A matrix of 8 rows of four words, of which each lane has one.
template <class T> struct PackedOperand {
  static constexpr bool is_signed = std::is_same_v<T, nvcuda::wmma::experimental::precision::s4>;
  using element_type = T;
  using storage_element_type = std::conditional_t<is_signed, int, unsigned>;
  static constexpr int num_elements = packed_in_word<T>;
  static constexpr int num_storage_elements = 1;
  storage_element_type x[1];

  struct Elements {
    Unpacked<T> all[num_elements];
  };
  Elements unpacked() const {
    constexpr int bits = 32 / num_elements;
    Elements elements;
    for (int i = 0; i < num_elements; ++i) {
      const int value = static_cast<unsigned>(x[0]) >> i * bits & ((1u << bits) - 1);
      elements.all[i].value = static_cast<int8_t>(is_signed && value > 7 ? value - 16 : value);
    }
    return elements;
  }
};

/// A matrix that is multiplied.
template <int Rows, int Columns, class T, class Element = typename FragmentElement<T>::type>
using Operand = LaneMatrix<Rows, Columns, run_of<Element>, Element>;

} // namespace emu

namespace nvcuda::wmma {

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;

template <int M, int N, int K, class T, class Layout>
requires(emu::is_wmma<M, N, K, T>()) class fragment<matrix_a, M, N, K, T, Layout>
    : public emu::Operand<M, K, T> {
public:
  static constexpr bool rows_are_contiguous = std::is_same_v<Layout, row_major>;
};
template <int M, int N, int K, class T, class Layout>
requires(emu::is_wmma<M, N, K, T>()) class fragment<matrix_b, M, N, K, T, Layout>
    : public emu::Operand<N, K, T> {
public:
  static constexpr bool rows_are_contiguous = std::is_same_v<Layout, col_major>; // of the transpose
};
template <int M, int N, int K, class T>
requires(emu::is_wmma<M, N, K, T>()) class fragment<accumulator, M, N, K, T>
    : public emu::LaneMatrix<M, N, 2, T> {
};

template <int K, class T>
requires(4 * emu::packed_in_word<T> == K) class fragment<matrix_a, 8, 8, K, T, row_major>
    : public emu::PackedOperand<T> {
};
template <int K, class T>
requires(4 * emu::packed_in_word<T> == K) class fragment<matrix_b, 8, 8, K, T, col_major>
    : public emu::PackedOperand<T> {
};

template <class Use, int M, int N, int K, class T, class Layout>
inline void fill_fragment(
    fragment<Use, M, N, K, T, Layout> &f,
    const std::type_identity_t<typename fragment<Use, M, N, K, T, Layout>::element_type> &value) {
  for (auto &element : f.x)
    element = value;
}

/// \param stride  from one row, or column, to the next, in elements
template <class Use, int M, int N, int K, class T, class Layout, class Element>
requires(!std::is_same_v<Use, accumulator>) //
    EMU_INLINE void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f,
                                     const Element *from,
                                     unsigned stride,
                                     EMU_SITE) {
  emu::exchange(~0u, 0, EMU_HERE);
  if constexpr (constexpr int packed = emu::packed_in_word<T>; packed > 0) {
    const auto lane = static_cast<unsigned>(emu::lane_id());
    f.x[0] =
        reinterpret_cast<const typename fragment<Use, M, N, K, T, Layout>::storage_element_type *>(
            from)[size_t{lane / 4} * (stride / packed) + lane % 4];
  } else {
    f.each(f.rows_are_contiguous, stride, [from](auto &element, size_t at) { element = from[at]; });
  }
}
template <int M, int N, int K, class T>
EMU_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f,
                                 const T *from,
                                 unsigned stride,
                                 layout_t layout,
                                 EMU_SITE) {
  emu::exchange(~0u, 0, EMU_HERE);
  f.each(layout == mem_row_major, stride, [from](auto &element, size_t at) { element = from[at]; });
}
template <int M, int N, int K, class T>
EMU_INLINE void store_matrix_sync(
    T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride, layout_t layout, EMU_SITE) {
  emu::exchange(~0u, 0, EMU_HERE);
  fragment<accumulator, M, N, K, T> copy = f;
  copy.each(
      layout == mem_row_major, stride, [to](const T &element, size_t at) { to[at] = element; });
}

/// d = a b + c. With `saturate`, sums of integers stay within 32 bits.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D, class C>
inline void mma_sync(fragment<accumulator, M, N, K, D> &d,
                     const fragment<matrix_a, M, N, K, T, LayoutA> &a,
                     const fragment<matrix_b, M, N, K, T, LayoutB> &b,
                     const fragment<accumulator, M, N, K, C> &c,
                     bool saturate = false,
                     EMU_SITE) {
  using Sum = std::conditional_t<std::is_same_v<D, int>, int64_t, D>;
  Sum sums[fragment<accumulator, M, N, K, D>::num_elements];
  for (int i = 0; i < d.num_elements; ++i)
    sums[i] = static_cast<Sum>(c.x[i]);
  if constexpr (emu::packed_in_word < T >> 0) {
    const auto left = a.unpacked();
    const auto right = b.unpacked();
    emu::multiply_matrices<M, N, K>(sums, left.all, right.all, EMU_HERE);
  } else {
    emu::multiply_matrices<M, N, K>(sums, a.x, b.x, EMU_HERE);
  }
  for (int i = 0; i < d.num_elements; ++i)
    if constexpr (std::is_same_v<D, int>)
      d.x[i] =
          saturate ? emu::to_integer<int>(static_cast<double>(sums[i])) : static_cast<int>(sums[i]);
    else
      d.x[i] = sums[i];
}

/// d = c and how many bits are set in a row of a, xor or and, a column of b.
inline void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC,
          EMU_SITE) {
  const bool differ = operation == experimental::bmmaBitOpXOR;
  auto left = a.unpacked(), right = b.unpacked();
  for (auto *side : {&left, &right})
    for (auto &bit : side->all)
      bit.value = static_cast<int8_t>(differ ? 1 - 2 * bit.value
                                             : bit.value); // the product of those that differ is -1
  int sums[2] = {};
  emu::multiply_matrices<8, 8, 128>(sums, left.all, right.all, EMU_HERE);
  for (int i = 0; i < 2; ++i)
    d.x[i] = c.x[i] + (differ ? (128 - sums[i]) / 2 : sums[i]);
}

inline float __float_to_tf32(float value) { return emu::to_tf32(value); }

} // namespace nvcuda::wmma

#include "emu/language/letters_back.hpp"
