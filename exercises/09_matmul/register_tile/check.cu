// Checks register_tile.cu: both products, with seven loads from shared memory for 16 multiply-adds.
#include "products.hpp"

#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

__global__ void multiply(const float *A, const float *B, float *C, float *E, int N, int K);

namespace {

constexpr int tile = 32;

/// This column of B and those behind it, as many as C has.
std::vector<float> columns(const std::vector<float> &B, int N, int K, int first) {
  std::vector<float> factor;
  for (int k = 0; k < K; ++k)
    factor.insert(factor.end(), &B[k * (N + 1)] + first, &B[k * (N + 1)] + first + N);
  return factor;
}

std::optional<emu::Observation> check(int M, int N, int K) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * (N + 1));
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto size = static_cast<std::size_t>(M) * N;
  const auto d_C = checker::poisoned<float>(size), d_E = checker::poisoned<float>(size);
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  auto seen = checker::launch(what, [&] {
    multiply<<<dim3(N / tile, M / tile), dim3(tile, tile / 8)>>>(
        d_A.data(), d_B.data(), d_C.data(), d_E.data(), N, K);
  });
  const std::vector<float> factors[] = {columns(B, N, K, 0), columns(B, N, K, 1)};
  const std::vector<float> products[] = {product(A, factors[0], M, N, K, K),
                                         product(A, factors[1], M, N, K, K)};
  for (const int next : {0, 1}) {
    const std::string name = (next ? "E, " : "C, ") + what;
    const auto got = next ? d_E.download() : d_C.download();
    const auto &expected = products[next];
    checker::diagnose("other_matrix",
                      got == products[1 - next],
                      name + ": it is the other product. Column col of C takes column col of B, "
                             "and that of E the next one");
    // The column whose sum is stored there, if it was computed for columns side by side and is stored apart.
    for (const int of_six : {0, 1, 2, 3, 4, 5}) {
      const int across = 2 << of_six / 2, apart = tile / across;
      const int step =
          of_six % 2 ? 1 : across; // from the first column of a thread to that of the next
      bool holds = got != expected;
      for (int i = 0; i < static_cast<int>(got.size()); ++i) {
        const int in_tile = i % tile;
        holds = holds && got[i] == expected[i - in_tile + in_tile % apart * step + in_tile / apart];
      }
      checker::diagnose(
          "stored_apart",
          holds,
          name + ": a thread computes columns that are next to each other, and they are stored as "
                 "columns that are apart. col_of() says of both which they are");
    }
    const auto written = std::ranges::find_if(got, lab::is_poison<float>) - got.begin();
    checker::diagnose("columns_left_out",
                      written < static_cast<long>(got.size()),
                      name + ": nobody has computed column " + std::to_string(written % N) +
                          ", among others. With all x and all j, col_of() is to come to each of a "
                          "tile's 32 columns, and once");
    for (const int of : {2, 4, 8}) { // columns, or rows, of each thread
      const auto all = [&](auto &&holds) {
        for (int i = 0; i < static_cast<int>(got.size()); ++i)
          if (!holds(i))
            return false;
        return got != expected;
      };
      checker::diagnose(
          "next_not_loaded",
          next == 1 && all([&](int i) { return got[i] == expected[i] || i % of == of - 1; }),
          name +
              ": wrong is the last column of each thread alone. The one behind it is none of its "
              "own, so for E a thread needs one element of B more than it has columns");
      checker::diagnose("one_row_for_all",
                        all([&](int i) {
                          const int in_tile = i / N % tile;
                          return got[i] == expected[i + (in_tile % (tile / of) - in_tile) * N];
                        }),
                        name + ": all rows of a thread hold what belongs to its first one. Each "
                               "result takes the element of A of its own row, row_of(i)");
    }
    checker::diagnose(
        "one_sum_for_all",
        8 * std::ranges::count_if(got, [](float sum) { return sum != 0; }) ==
                static_cast<long>(got.size()) &&
            std::reduce(got.begin(), got.end()) == std::reduce(expected.begin(), expected.end()),
        name + ": one of a thread's eight sums has all its products, and the others are 0. Each "
               "result has a sum of its own, sum_C[i][j] and sum_E[i][j]");
    if (got != expected)
      diagnose_index_slips(name, got, A, factors[next], M, N, K, tile, FirstMatrix::as_it_is);
    checker::expect_same(name, got, expected, {}, N);
  }
  return seen;
}

} // namespace

TEST_CASE("both products are right") {
  check(32, 32, 32);
  check(64, 32, 96);
  check(32, 32, 0);
  for (int n : checker::own_sizes(1, 256, 300))
    check(32, 32, (n + 31) / 32 * 32); // a multiple of TILE
}

TEST_CASE("seven loads for 16 products") {
  checker::unless_failed_before();
  const int M = 32, N = 160, K = 32;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  expect_tiles(*seen, M, N, 2 * K, tile);
  const double requests =
      static_cast<double>(checker::total(*seen, emu::Access::shared_load).requests);
  const double products = 2.0 * M * N * K / 32.0; // of a warp
  const double loads = 16 * requests / products;
  const bool twice = std::abs(loads - 8) < 0.1, of_other_shape = std::abs(loads - 10) < 0.1;
  double of_three = 24; // loads, where a third product has the column after the next one
  for (int down : {1, 2, 4, 8})
    of_three = std::min(of_three, down + 8.0 / down + 2);
  checker::record("loads_for_24_products", of_three);
  checker::expect_at_most(
      "loads_for_16_products",
      loads,
      7.1,
      twice            ? "loaded_twice"
      : of_other_shape ? "other_shape"
                       : "too_many_loads",
      std::string("both products are right, but ") +
          (twice ? "of B a thread loads two elements for C, and two more for E. Where its two "
                   "columns "
                   "lie side by side, one of them serves both: do they, and is it loaded once?"
           : of_other_shape ? "results of this shape, or in these columns, need ten loads for 16 "
                              "multiply-adds. How many different "
                              "elements of A does a thread need for each k, and how many of B?"
                            : "a thread loads more from shared memory than seven elements for 16 "
                              "multiply-adds. Does each serve all "
                              "results of its row, or of its column, and both products?"));
  // Of A a request of a warp wants an element for each row of threads, and of B one for each column.
  std::size_t fewest = 32;
  for (const emu::KernelReport &kernel : seen->kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == emu::Access::shared_load && line.worst.active == ~0u)
        fewest = std::min(
            fewest,
            std::set<std::uint64_t>(line.worst.address.begin(), line.worst.address.end()).size());
  std::string text = "Loads for 16 multiply-adds, if a thread's columns lie apart, and if they lie "
                     "side by side; * is yours:\n   DOWN x ACROSS   apart   side by side";
  for (const int across : {1, 2, 4, 8}) {
    const int down = 8 / across;
    char row[64];
    std::snprintf(row,
                  sizeof row,
                  "\n      %d x %d          %2d        %2d%s",
                  down,
                  across,
                  down + 2 * across,
                  down + across + 1,
                  static_cast<std::size_t>(across) == fewest ? " *" : "");
    text += row;
  }
  checker::note(text);
}

TEST_CASE("three solids") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int N = 3 * tile, shown = 74;
    std::vector<float> A(tile * tile), B(tile * (N + 1));
    for (int row = 0; row < tile; ++row) {
      A[row * tile + row] = 1.0f;
      for (int col = 0; col <= N; ++col) { // how high are a ball, a ring and a pyramid here?
        const double x = col, y = row - 15.0, to_ring = std::hypot(x - 38, y) - 10;
        const double ball = 144 - (x - 13) * (x - 13) - y * y, ring = 12.25 - to_ring * to_ring;
        B[row * (N + 1) + col] =
            static_cast<float>(std::max({std::sqrt(std::max({ball, ring, 0.0})),
                                         12 - std::max(std::fabs(x - 61), std::fabs(y))}));
      }
    }
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
    const auto d_C = checker::poisoned<float>(tile * N), d_E = checker::poisoned<float>(tile * N);
    multiply<<<dim3(N / tile, 1), dim3(tile, tile / 8)>>>(
        d_A.data(), d_B.data(), d_C.data(), d_E.data(), N, tile);
    const auto C = d_C.download(), E = d_E.download();
    std::string text =
        "A ball, a ring and a pyramid, lit from the left: bright where your E is above your C.";
    for (int row = 0; row < tile; row += 2) {
      text += '\n';
      for (int i = row * N; i < row * N + shown; ++i) {
        const char *const light[] = {" ", "░", "▒", "▓", "█"};
        text += light[std::clamp(static_cast<int>(2.5f * (E[i] - C[i] + 1)), 0, 4)];
      }
    }
    checker::note(text);
  });
}
