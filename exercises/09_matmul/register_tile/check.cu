// Checks register_tile.cu: both products, with eight loads from shared memory for 16 multiply-adds.
#include "products.hpp"

#include <cmath>

__global__ void
multiply(const float *A, const float *B, const float *D, float *C, float *E, int N, int K);

namespace {

constexpr int tile = 32;

// A thread's results are computed for elements side by side, and stored as elements apart.
void name_mistakes(const std::string &what,
                   const std::vector<float> &got,
                   const std::vector<float> &expected,
                   int N) {
  // The element, in a row or a column, whose sum is stored there, if a thread has `results` in it.
  const auto of_which = [](int i, int results) {
    const int in_tile = i % tile, apart = tile / results;
    return i - in_tile + in_tile % apart * results + in_tile / apart;
  };
  for (const auto &[down, across] :
       {std::pair(4, 2), {2, 4}, {8, 1}, {1, 8}, {1, 2}, {1, 4}, {2, 1}, {4, 1}}) {
    bool holds = true;
    for (int i = 0; i < static_cast<int>(got.size()); ++i)
      holds = holds && got[i] == expected[of_which(i / N, down) * N + of_which(i % N, across)];
    checker::diagnose("stored_apart",
                      holds,
                      what +
                          ": a thread computes elements that are next to each other, and they are "
                          "stored as elements that are apart, `rows` or `cols` from one to the "
                          "next. Both have to be the same ones");
  }
}

std::optional<emu::Observation> check(int M, int N, int K) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N), D = whole_numbers(K * N);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B), d_D = checker::on_device(D);
  const auto size = static_cast<std::size_t>(M) * N;
  const auto d_C = checker::poisoned<float>(size), d_E = checker::poisoned<float>(size);
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  auto seen = checker::launch(what, [&] {
    multiply<<<dim3(N / tile, M / tile), dim3(tile, tile / 8)>>>(
        d_A.data(), d_B.data(), d_D.data(), d_C.data(), d_E.data(), N, K);
  });
  const auto compare = [&](const std::string &name,
                           const std::vector<float> &got,
                           const std::vector<float> &factor,
                           const std::vector<float> &other) {
    const auto expected = product(A, factor, M, N, K, K);
    checker::diagnose("other_matrix",
                      got == product(A, other, M, N, K, K),
                      name + ", " + what +
                          ": it is the other product. Which of the two matrices does " +
                          name.substr(0, 1) + " take, and into which sum do its products go?");
    if (got != expected) {
      name_mistakes(name + ", " + what, got, expected, N);
      diagnose_index_slips(
          name + ", " + what, got, A, factor, M, N, K, tile, FirstMatrix::as_it_is);
    }
    checker::expect_same(name + ", " + what, got, expected, {}, N);
  };
  compare("C = A B", d_C.download(), B, D);
  compare("E = A D", d_E.download(), D, B);
  return seen;
}

} // namespace

TEST_CASE("both products are right") {
  check(32, 32, 32);
  check(64, 32, 96);
  check(32, 32, 0);
}

TEST_CASE("eight loads for 16 products") {
  const int M = 32, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  expect_tiles(*seen, M, N, 2 * K, tile);
  const double requests =
      static_cast<double>(checker::total(*seen, emu::Access::shared_load).requests);
  const double products = 2.0 * M * N * K / 32.0; // of a warp
  const double loads = 16 * requests / products;
  const bool of_other_shape = std::abs(loads - 10) < 0.1 || std::abs(loads - 17) < 0.1;
  double of_three = 24; // loads, where three products have A in common
  for (int down : {1, 2, 4, 8})
    of_three = std::min(of_three, down + 3 * 8.0 / down);
  checker::record("loads_for_24_products", of_three);
  checker::expect_at_most(
      "loads_for_16_products",
      loads,
      8.1,
      of_other_shape ? "other_shape" : "too_many_loads",
      of_other_shape
          ? "both products are right, and each element is loaded once for all that it serves. But "
            "results of this shape need " +
                std::to_string(std::lround(loads)) +
                " for 16 multiply-adds, and those of another one eight: DOWN elements of A, ACROSS "
                "of "
                "B, and ACROSS of D"
          : "both products are right, but a thread loads more from shared memory than eight "
            "elements "
            "for 16 multiply-adds. Does each serve all results of its row, or of its column, and "
            "those of A both products? And in which shape do the results need the fewest?");
}

TEST_CASE("two pictures of one A") {
  checker::unless_failed_before();
  checker::unobserved([] {
    // The square of the row times 1, and 1 times that of the column: added by B, subtracted by D.
    std::vector<float> A(tile * tile), B(tile * tile), D(tile * tile);
    for (int i = 0; i < tile; ++i) {
      const auto square = static_cast<float>((2 * i - 31) * (2 * i - 31));
      A[i * tile] = square;
      A[i * tile + 1] = B[i] = D[i] = 1.0f;
      B[tile + i] = square;
      D[tile + i] = -square;
    }
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B),
               d_D = checker::on_device(D);
    const auto d_C = checker::poisoned<float>(tile * tile),
               d_E = checker::poisoned<float>(tile * tile);
    multiply<<<1, dim3(tile, tile / 8)>>>(
        d_A.data(), d_B.data(), d_D.data(), d_C.data(), d_E.data(), tile, tile);
    const auto C = d_C.download(), E = d_E.download();
    constexpr int apart = 4, cols = 2 * tile + apart;
    std::vector<bool> cells(tile * cols);
    for (int i = 0; i < tile * tile; ++i) {
      const int at = i / tile * cols + i % tile;
      cells[at] = static_cast<int>(std::floor(C[i] / 240)) % 2 == 0;
      cells[at + tile + apart] = static_cast<int>(std::floor(E[i] / 240)) % 2 == 0;
    }
    checker::note(
        "Both of your products, of one A: with B its rings, with D a saddle, by the same loads:" +
        checker::picture(cells, cols));
  });
}
