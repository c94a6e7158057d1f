/// @file
/// What the checkers of products by tiles share.
#pragma once

#include "checker/checker.hpp"

/// Whole numbers: every sum of their products is exact.
inline std::vector<float> whole_numbers(int n) {
  std::vector<float> values;
  for (int value : checker::random_values<int>(n, 1, 9))
    values.push_back(static_cast<float>(value));
  return values;
}

/// A B, of the first `terms` products of each sum.
inline std::vector<float>
product(const std::vector<float> &A, const std::vector<float> &B, int M, int N, int K, int terms) {
  std::vector<float> C(static_cast<std::size_t>(M) * N, 0.0f);
  for (int row = 0; row < M; ++row)
    for (int k = 0; k < terms; ++k)
      for (int col = 0; col < N; ++col)
        C[row * N + col] += A[row * K + k] * B[k * N + col];
  return C;
}

/// Ends the case as failed if warps have loaded more of A and B than a product by tiles needs: of each pair
/// of tiles every element once.
inline void expect_tiles(const emu::Observation &seen, int M, int N, int K, int tile) {
  const emu::AccessCounts loads = checker::total(seen, emu::Access::global_load);
  checker::expect_at_most(
      "global_loads_per_product",
      static_cast<double>(loads.lanes) / (static_cast<double>(M) * N * K),
      2.0 / tile,
      "not_by_tiles",
      "the product is right, but the tiles do not serve it: elements of A and B "
      "are loaded from global memory again and again. In a product by tiles "
      "each one that a block has loaded serves " +
          std::to_string(tile) + " products");
  checker::expect_lanes(
      seen, emu::Access::global_load, 32.0, "each thread has elements of its own to bring");
}

enum class FirstMatrix { as_it_is, turned };

/// A matrix turned over its diagonal.
inline std::vector<float> turned(const std::vector<float> &matrix, int rows, int cols) {
  std::vector<float> result(matrix.size());
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      result[col * rows + row] = matrix[row * cols + col];
  return result;
}

/// Has `launch(A, B, C)` multiply an M x K by a K x N matrix in tiles of `tile` by `tile`, and says what is
/// wrong with the product.
/// @param first  turned: A lies in memory as K x M
template <class Launch>
std::optional<emu::Observation> check_product(
    int M, int N, int K, int tile, Launch launch, FirstMatrix first = FirstMatrix::as_it_is) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  const auto in_memory = first == FirstMatrix::turned ? turned(A, M, K) : A;
  const auto d_A = checker::on_device(in_memory), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const auto expected = product(A, B, M, N, K, K);

  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  auto seen = checker::launch(what, [&] { launch(d_A.data(), d_B.data(), d_C.data()); });
  const auto got = d_C.download();
  checker::diagnose("k_tail_missing",
                    K % tile != 0 && got == product(A, B, M, N, K, K / tile * tile),
                    what + ": the products of the last, partial tile are missing");
  checker::diagnose("not_turned",
                    in_memory != A && got == product(in_memory, B, M, N, K, K),
                    what +
                        ": A was read as if it lay in memory as M x K. It is K x M: row k has the "
                        "elements that row k of B is multiplied with");
  checker::expect_same(what, got, expected, {}, N);
  return seen;
}
