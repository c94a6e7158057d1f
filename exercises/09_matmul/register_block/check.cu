// Checks register_block.cu: the largest of each square of a product, with sixteen loads from shared memory for 64
// multiply-adds, each in one round.
#include "products.hpp"

#include <algorithm>
#include <cmath>
#include <map>

__global__ void multiply(const float *A, const float *B, float *largest, int N, int K);

namespace {

/// The largest of the 64 elements of C that a thread has: row and column of number (i, j) of thread (y, x) in a tile.
template <class Place>
std::vector<float> largest_of(const std::vector<float> &C, int M, int N, Place place) {
  std::vector<float> largest;
  for (int row = 0; row < M / 8; ++row)
    for (int col = 0; col < N / 8; ++col) {
      float most = -1;
      for (int of_64 = 0; of_64 < 64; ++of_64) {
        const auto [r, c] = place(row % 8, col % 8, of_64 / 8, of_64 % 8);
        most = std::max(most, C[(row / 8 * 64 + r) * N + col / 8 * 64 + c]);
      }
      largest.push_back(most);
    }
  return largest;
}

std::pair<int, int> in_square(int y, int x, int i, int j) { return {8 * y + i, 8 * x + j}; }
std::pair<int, int> rows_apart(int y, int x, int i, int j) { return {y + 8 * i, 8 * x + j}; }
std::pair<int, int> columns_apart(int y, int x, int i, int j) { return {8 * y + i, x + 8 * j}; }
std::pair<int, int> both_apart(int y, int x, int i, int j) { return {y + 8 * i, x + 8 * j}; }

/// What comes out where element k of a row, or of a column, is taken from another row, column or k.
void explain_order_of_k(const std::string &what,
                        const std::vector<float> &got,
                        const std::vector<float> &expected,
                        const std::vector<float> &A,
                        const std::vector<float> &B,
                        int M,
                        int N,
                        int K) {
  const auto comes_of = [&](auto row_of, auto col_of, auto k_of) {
    if (got == expected)
      return false;
    std::vector<float> a(A.size()), b(B.size());
    for (int k = 0; k < K; ++k) {
      for (int row = 0; row < M; ++row)
        a[row * K + k] = A[(row / 8 * 8 + row_of(row, k) % 8) * K + k_of(k)];
      for (int col = 0; col < N; ++col)
        b[k * N + col] = B[k_of(k) * N + col / 8 * 8 + col_of(col, k) % 8];
    }
    return got == largest_of(product(a, b, M, N, K, K), M, N, in_square);
  };
  const auto stays = [](int i, int) { return i; };
  const auto turns = [](int i, int k) { return i + k; };
  const auto same_k = [](int k) { return k; };
  checker::diagnose("rows_mixed",
                    comes_of(turns, stays, same_k) || comes_of(stays, turns, same_k) ||
                        comes_of(turns, turns, same_k),
                    what + ": each element loaded is one of the square's, but the same register "
                           "holds another row, or column, for each k, and its sum mixes them. "
                           "Lanes may begin with different rows; for one lane the order has to be "
                           "the same for all k");
  checker::diagnose("first_k_alone",
                    comes_of(stays, stays, [](int k) { return k / 8 * 8; }),
                    what +
                        ": all products of a slice are made of the elements of its first k. "
                        "Each k has sixteen of its own: are they loaded within the loop over k?");
}

/// Of each tile, not only of one that somebody has measured.
void expect_sixteen_loads(
    const std::string &what, const emu::Observation &seen, int M, int N, int K) {
  checker::expect_lanes(seen, emu::Access::shared_load, 30.0);
  expect_tiles(seen, M, N, K, 64);
  const double products = static_cast<double>(M) * N * K / 32.0; // of a warp
  const auto loads = checker::total(seen, emu::Access::shared_load);
  checker::expect_at_most(
      "shared_loads_per_product",
      static_cast<double>(loads.requests) / products,
      16.0 / 64 + 0.01,
      "too_many_loads",
      what + ": there are more loads from shared memory than 16 for 64 multiply-adds. Eight "
             "elements of s_A and eight of s_B, in registers, make 64 products");
  checker::expect_cost_at_most(
      seen,
      emu::Access::shared_load,
      1.01,
      "bank_conflicts",
      what + ": there are 16 loads for 64 multiply-adds, but not each takes one round: lanes that "
             "load other words meet in a bank. Which words a lane needs is settled by its square, "
             "but when it loads them is not");
}

std::optional<emu::Observation> check(int M, int N, int K) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_largest = checker::poisoned<float>(static_cast<std::size_t>(M / 8) * (N / 8));
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  checker::perhaps(
      "Word r of s_A[k] has row r of the tile, 0 to 63, and is filled outside your lines: who "
      "reads with padding that nobody left there reads other rows. Where an element "
      "lies is not yours to choose",
      "uninitialised",
      "s_A[");
  auto seen = checker::launch(what, [&] {
    multiply<<<dim3(N / 64, M / 64), dim3(8, 8)>>>(d_A.data(), d_B.data(), d_largest.data(), N, K);
  });
  const auto got = d_largest.download(), C = product(A, B, M, N, K, K);
  const auto expected = largest_of(C, M, N, in_square);
  for (const auto apart : {rows_apart, columns_apart, both_apart})
    checker::diagnose("other_squares",
                      got != expected && got == largest_of(C, M, N, apart),
                      what + ": a thread's 64 elements of C lie apart, " +
                          (apart == rows_apart      ? "in rows 8 from each other"
                           : apart == columns_apart ? "in columns 8 from each other"
                                                    : "8 from each other") +
                          ". The largest of a square is asked for, so that each thread keeps its "
                          "square");
  explain_order_of_k(what, got, expected, A, B, M, N, K);
  checker::expect_same("the largest of " + what, got, expected, {}, N / 8);
  if (seen && K > 0)
    expect_sixteen_loads(what, *seen, M, N, K);
  return seen;
}

/// A load's rounds: a row for each, a column for each bank, and a letter for the first lane that wants the word there.
std::string rounds_of(const emu::RequestSample &load) {
  std::map<std::uint64_t, int> lane_of; // of a word
  for (int lane = 0; lane < 32; ++lane)
    if (load.active >> lane & 1)
      lane_of.emplace(load.address[lane] / 4, lane);
  std::vector<std::string> rounds;
  for (const auto &[word, lane] : lane_of) {
    const auto bank = static_cast<std::size_t>(word % 32);
    const auto free = std::find_if(
        rounds.begin(), rounds.end(), [&](const std::string &round) { return round[bank] == '.'; });
    const std::size_t at = free - rounds.begin();
    if (free == rounds.end())
      rounds.emplace_back(32, '.');
    rounds[at][bank] = "abcdefghijklmnopqrstuvwxyzABCDEF"[lane];
  }
  std::string text;
  for (const std::string &round : rounds)
    text += "\n  " + round;
  return text;
}

} // namespace

TEST_CASE("one tile") { check(64, 64, 8); }

TEST_CASE("tiles side by side, and one below the other") {
  check(64, 192, 24); // three: of two blocks one may do all, and has but twice the average
  check(128, 64, 16);
  check(64, 64, 0);
  for (int n : checker::own_sizes(1, 256, 300))
    check(64, 64, (n + 7) / 8 * 8); // a multiple of SLICE
}

TEST_CASE("sixteen loads for 64 products") {
  const int M = 64, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  checker::record("shared_load_requests",
                  static_cast<double>(checker::total(*seen, emu::Access::shared_load).requests));
  std::string text =
      "Loads of your warps, a column for each bank and a row for each round, where a lane's letter "
      "is the word that it wants. As you found it, of s_A:";
  emu::RequestSample before{0xff};
  for (int y = 0; y < 8; ++y)
    before.address[y] = 4 * 8 * y;
  text += rounds_of(before) + "\nYours:";
  for (const emu::KernelReport &kernel : seen->kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == emu::Access::shared_load && line.access_bytes == 4)
        text += rounds_of(line.worst);
  checker::note(text);
}

TEST_CASE("sand on a plate") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int M = 256, N = 576, K = 8; // of a plate that hums in two ways at once
    std::vector<float> A(M * K), B(K * N);
    const auto wave = [](int at, int length, float half_waves) {
      return std::cos(3.14159265f * half_waves * (static_cast<float>(at) + 0.5f) /
                      static_cast<float>(length));
    };
    for (int row = 0; row < M; ++row) {
      A[row * K] = wave(row, M, 3);
      A[row * K + 1] = wave(row, M, 5);
    }
    for (int col = 0; col < N; ++col) {
      B[col] = wave(col, N, 5);
      B[N + col] = wave(col, N, 3);
    }
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
    const auto d_largest = checker::poisoned<float>(M / 8 * (N / 8));
    multiply<<<dim3(N / 64, M / 64), dim3(8, 8)>>>(d_A.data(), d_B.data(), d_largest.data(), N, K);
    std::vector<bool> cells;
    for (const float most : d_largest.download())
      cells.push_back(most > 0.08f);
    checker::note("Where a plate of 256 x 576 points moves up, by the largest of each 8 x 8 of "
                  "yours; between them lies the sand:" +
                  checker::picture(cells, N / 8));
  });
}
