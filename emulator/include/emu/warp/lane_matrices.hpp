/// \file
/// Matrices that the lanes of a warp hold together, as PTX's mma wants them: which lane has which element, and
/// their product.
#pragma once

#include "emu/math/float16.hpp"
#include "emu/warp/sync.hpp"

namespace emu {

/// Where element `index` of a lane lies in a matrix of `Rows` rows. The matrix consists of parts of 8 rows, of which four
/// lanes hold one each, `Run` neighbouring elements a lane; parts follow each other down the columns first.
struct MatrixPlace {
  int row, column;
};
template <int Rows, int Run> EMU_UNOBSERVED constexpr MatrixPlace place_of(int lane, int index) {
  const int part = index / Run;
  return {part % (Rows / 8) * 8 + lane / 4,
          part / (Rows / 8) * 4 * Run + lane % 4 * Run + index % Run};
}
/// The other way round: the lane that has an element, and its index there.
template <int Rows, int Run> EMU_UNOBSERVED constexpr int lane_of(int row, int column) {
  return row % 8 * 4 + column % (4 * Run) / Run;
}
template <int Rows, int Run> EMU_UNOBSERVED constexpr int index_of(int row, int column) {
  return (column / (4 * Run) * (Rows / 8) + row / 8) * Run + column % Run;
}

/// Elements of an operand that lie side by side in a lane: a register's, of 4 bytes or one double.
template <class T>
inline constexpr int run_of = sizeof(T) >= 4 ? 1 : 4 / static_cast<int>(sizeof(T));

// What reads memory that it is handed, and no instrument sees it: not found by the types of arguments, so that a
// program that may not name this namespace cannot call it.
namespace unseen {

/// A number of another lane's part, where that lane waits.
EMU_UNOBSERVED inline uint16_t number_of(uintptr_t part, size_t index) {
  return reinterpret_cast<const uint16_t *>(part)[index];
}

template <class Sum> EMU_UNOBSERVED inline Sum widened(auto value) {
  if constexpr (requires { value.wide(); })
    return static_cast<Sum>(value.wide());
  else
    return static_cast<Sum>(value);
}

/// sums += a b. `a` is a matrix of M x K, `b` the other one's transpose, of N x K, and sums one of M x N; each
/// argument is what this lane has. Products are exact and added in double; integers, exactly.
template <int M, int N, int K, class A, class B, class C>
EMU_UNOBSERVED inline void multiply_matrices(C *sums, const A *a, const B *b, Site site) {
  using Sum = std::conditional_t<std::is_integral_v<A>, int64_t, double>;
  struct Parts {
    const A *a;
    const B *b;
    C *sums;
  } const mine = {a, b, sums};
  const auto [values, met, absent] = exchange(~0u, reinterpret_cast<uintptr_t>(&mine), site);
  if (absent != 0) [[unlikely]]
    warn_of_absent("this product of matrices", absent, site);
  if (lane_id() == __builtin_ctz(met)) { // one lane does it for all: each operand is widened once
    Parts of[32];
    for (int lane = 0; lane < 32; ++lane)
      of[lane] = met >> lane & 1 ? *reinterpret_cast<const Parts *>(values[lane]) : mine;
    Sum columns[K][N];
    for (int column = 0; column < N; ++column)
      for (int k = 0; k < K; ++k)
        columns[k][column] =
            widened<Sum>(of[lane_of<N, run_of<B>>(column, k)].b[index_of<N, run_of<B>>(column, k)]);
    Sum all[M][N];
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < M * N / 32; ++i) {
        const auto [row, column] = place_of<M, 2>(lane, i);
        all[row][column] = widened<Sum>(of[lane].sums[i]);
      }
    for (int row = 0; row < M; ++row)
      for (int k = 0; k < K; ++k) {
        const auto factor =
            widened<Sum>(of[lane_of<M, run_of<A>>(row, k)].a[index_of<M, run_of<A>>(row, k)]);
        for (int column = 0; column < N; ++column)
          all[row][column] += factor * columns[k][column];
      }
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < M * N / 32 && met >> lane & 1; ++i) {
        const auto [row, column] = place_of<M, 2>(lane, i);
        of[lane].sums[i] = static_cast<C>(all[row][column]);
      }
  }
  exchange(~0u, 0, site); // until then all parts stay
}

} // namespace unseen
using namespace unseen;

/// A float with the 10 bits of fraction that tensor cores take of it.
EMU_UNOBSERVED inline float to_tf32(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7f800000) != 0x7f800000)
    bits += 0x1000; // to nearest, ties away from zero
  return __builtin_bit_cast(float, bits & ~0x1fffu);
}

} // namespace emu
