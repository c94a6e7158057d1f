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

/// If one of x, y and k stands in the place of another, in an index of A's tile or of B's, says so: which element each
/// product has taken instead of its own.
/// @param A      as M x K, though it may lie in memory turned
/// @param depth  terms for which a pair of tiles has the elements; 0: as many as a tile is wide
inline void diagnose_index_slips(const std::string &what,
                                 const std::vector<float> &got,
                                 const std::vector<float> &A,
                                 const std::vector<float> &B,
                                 int M,
                                 int N,
                                 int K,
                                 int tile,
                                 FirstMatrix first,
                                 int depth = 0) {
  depth = depth > 0 ? depth : tile;
  const auto at = [](const std::vector<float> &matrix, int rows, int cols, int row, int col) {
    return row < rows && col < cols ? matrix[row * cols + col] : 0.0f;
  };
  const auto are_sums_of = [&](auto term) {
    for (int row = 0; row < M; ++row)
      for (int col = 0; col < N; ++col) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += term(row, col, k);
        if (sum != got[row * N + col])
          return false;
      }
    return true;
  };
  // of_A: whose index; i, j: what stands for its row and its column in the tile, of row, column and k; other_tile: that
  // of the block's columns in the place of that of its rows, or the other way round.
  const auto is_got = [&](bool of_A, int i, int j, bool other_tile) {
    return are_sums_of([&](int row, int col, int k) {
      const int places[] = {row % tile, col % tile, k % depth}, k0 = k - k % depth;
      const int of_block = of_A != other_tile ? row - row % tile : col - col % tile;
      return of_A ? at(A, M, K, of_block + places[i], k0 + places[j]) * B[k * N + col]
                  : A[row * K + k] * at(B, K, N, k0 + places[i], of_block + places[j]);
    });
  };
  for (const int slice : {4, 8, 16, 32})
    checker::diagnose("one_k_again",
                      are_sums_of([&](int row, int col, int k) {
                        const int of_slice = k - k % slice;
                        return A[row * K + of_slice] * B[of_slice * N + col];
                      }),
                      what + ": of each " + std::to_string(slice) +
                          " products of a sum all are the first one. Each k has elements of its "
                          "own, of A and of B");
  const auto element = [&](bool of_A, int i, int j) {
    const char *const names[] = {"row", "column", "k"};
    const bool turned = of_A && first == FirstMatrix::turned;
    return std::string("[") + names[turned ? j : i] + "][" + names[turned ? i : j] + "]";
  };
  for (const bool other_tile : {false, true})
    for (const bool of_A : {true, false})
      for (int of_nine = 0; of_nine < 9; ++of_nine)
        if (const int i = of_nine / 3, j = of_nine % 3; is_got(of_A, i, j, other_tile)) {
          const std::string own = of_A ? element(true, 0, 2) : element(false, 2, 1);
          const std::string block = std::string(of_A ? "A" : "B") + " is the block's at blockIdx." +
                                    (of_A ? "x, where its rows are those at blockIdx.y"
                                          : "y, where its columns are those at blockIdx.x");
          checker::diagnose(
              "other_element",
              true,
              what + ": " +
                  (other_tile ? "each tile of " + block
                              : std::string("of each tile of ") + (of_A ? "A" : "B") +
                                    " a product takes element " + element(of_A, i, j) +
                                    ", where it is to take " + own +
                                    ". Where the tile is filled, or where it is read, one of x, y "
                                    "and k stands in the place of another"));
          return;
        }
}

/// If only one of M, N and K does not fit the tiles, an access out of bounds is one across that edge.
inline void perhaps_at_edge(int M, int N, int K, int tile, int depth) {
  std::string edges = M % tile != 0 ? "M" : "";
  edges += N % tile != 0 ? "N" : "";
  edges += K % depth != 0 ? "K" : "";
  const std::string rest = edges == "M" ? "N and K" : edges == "N" ? "M and K" : "M and N";
  checker::perhaps(edges.size() == 1 ? rest + " fit the tiles here, and " + edges +
                                           " does not: is the index that goes up to " + edges +
                                           " held below " + edges +
                                           " here, that very index, with the same x or y? Behind "
                                           "that edge there is nothing to load or to store"
                                     : "",
                   "out_of_bounds");
}

/// Has `launch(A, B, C)` multiply an M x K by a K x N matrix in tiles of `tile` by `depth`, and says what is
/// wrong with the product.
/// @param first  turned: A lies in memory as K x M
template <class Launch>
std::optional<emu::Observation> check_product(int M,
                                              int N,
                                              int K,
                                              int tile,
                                              Launch launch,
                                              FirstMatrix first = FirstMatrix::as_it_is,
                                              int depth = 0) {
  depth = depth > 0 ? depth : tile;
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  const auto in_memory = first == FirstMatrix::turned ? turned(A, M, K) : A;
  const auto d_A = checker::on_device(in_memory), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const auto expected = product(A, B, M, N, K, K);

  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  perhaps_at_edge(M, N, K, tile, depth);
  static bool square_is_right = false;
  if (square_is_right && M % tile + N % tile + K % depth == 0 && (M != N || N != K))
    checker::perhaps("A square is right, and these are none. How many elements has a row of each "
                     "matrix in memory? So "
                     "far is it from one row to the next",
                     "out_of_bounds");
  auto seen = checker::launch(what, [&] { launch(d_A.data(), d_B.data(), d_C.data()); });
  const auto got = d_C.download();
  checker::diagnose("k_tail_missing",
                    K % depth != 0 && got == product(A, B, M, N, K, K / depth * depth),
                    what + ": the products of the last, partial tile are missing");
  // Of threads that have no element of C, what they bring is 0.
  const auto by_own_result = [&] {
    const bool is_turned = first == FirstMatrix::turned;
    std::vector<float> C(expected.size(), 0.0f);
    for (int row = 0; row < M; ++row)
      for (int col = 0; col < N; ++col)
        for (int k = 0; k < K; ++k) {
          const int row0 = row - row % tile, col0 = col - col % tile, of_A = is_turned ? row : k;
          if (col0 + of_A % tile < N && row0 + k % depth % tile < M)
            C[row * N + col] += A[row * K + k] * B[k * N + col];
        }
    return C;
  };
  checker::diagnose("idle_bring_nothing",
                    (N % tile != 0 || (M % tile != 0 && first == FirstMatrix::as_it_is)) &&
                        got != expected && got == by_own_result(),
                    what +
                        ": threads that have no element of C bring 0. What a thread brings is for "
                        "others of its block: of A and of B it asks whether that element is there");
  const auto by_own_row = [&] { // whoever loads for another row of C asks whether there is its own
    auto loaded = A;
    for (int row = 0; row < M; ++row)
      for (int k = 0; k < K; ++k)
        if (row - row % tile + k % tile >= M)
          loaded[row * K + k] = 0.0f;
    return product(loaded, B, M, N, K, K);
  };
  checker::diagnose(
      "other_edge",
      first == FirstMatrix::turned && M % tile != 0 && got != expected && got == by_own_row(),
      what + ": M is no multiple of " + std::to_string(tile) +
          ", and of the last rows of C products are missing. A thread loads from A "
          "for row blockIdx.y * " +
          std::to_string(tile) + " + x of C: is that row held below M, or its own, which has y?");
  checker::diagnose(
      "not_turned",
      in_memory != A && got == product(in_memory, B, M, N, K, K),
      what + ": A, or its tile, was read as if it lay there as M x K. It is K x M: row k has the "
             "elements that row k of B is multiplied with");
  if (got != expected)
    diagnose_index_slips(what, got, A, B, M, N, K, tile, first, depth);
  checker::expect_same(what, got, expected, {}, N);
  square_is_right = square_is_right || (M == N && N == K);
  return seen;
}
