/// @file
/// What the checkers of products by tiles share.
#pragma once

#include "checker/checker.hpp"

#include <algorithm>

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
      return of_A ? at(A, M, K, of_block + places[i] % tile, k0 + places[j]) * B[k * N + col]
                  : A[row * K + k] * at(B, K, N, k0 + places[i], of_block + places[j] % tile);
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
  // How often each product is in its sum: as often as a pair of tiles that has it is added up.
  const auto are_added = [&](auto times) {
    return are_sums_of([&](int row, int col, int k) {
      return static_cast<float>(times(k)) * A[row * K + k] * B[k * N + col];
    });
  };
  const std::string of_a_pair = "a pair of tiles has " + std::to_string(depth) + " of them, and ";
  checker::diagnose("products_left_out",
                    depth > tile && are_added([&](int k) { return k % depth < tile; }),
                    what + ": products of each sum are missing: " + of_a_pair + "the first " +
                        std::to_string(tile) + " alone are added up");
  for (const bool last : {true, false})
    checker::diagnose("products_left_out",
                      K > depth && are_added([&](int k) {
                        return last ? k >= (K - 1) / depth * depth : k < depth;
                      }),
                      what + ": each sum has the products of the " + (last ? "last" : "first") +
                          " pair of tiles, and of no other" +
                          (last ? ". Does it begin anew with each pair?" : ""));
  checker::diagnose("products_twice",
                    depth > tile &&
                        are_added([&](int k) { return std::min(k / tile, depth / tile - 1) + 1; }),
                    what + ": products are added twice: " + of_a_pair +
                        "the next pair begins only " + std::to_string(tile) + " further on");
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
