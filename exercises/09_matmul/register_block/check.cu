// Checks register_block.cu: the product, with sixteen loads from shared memory for 64 multiply-adds, each in one round.
#include "products.hpp"

#include <cmath>

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 64;
  const dim3 grid(N / tile, M / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(8, 8)>>>(A, B, C, N, K);
  });
}

} // namespace

TEST_CASE("one tile") { check(64, 64, 8); }

TEST_CASE("tiles side by side, and one below the other") {
  check(64, 128, 24);
  check(128, 64, 16);
  check(64, 64, 0);
}

TEST_CASE("sixteen loads for 64 products") {
  const int M = 64, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  expect_tiles(*seen, M, N, K, 64);
  const double products = static_cast<double>(M) * N * K / 32.0; // of a warp
  const auto loads = checker::total(*seen, emu::Access::shared_load);
  checker::record("shared_load_requests", static_cast<double>(loads.requests));
  checker::expect_at_most(
      "shared_loads_per_product",
      static_cast<double>(loads.requests) / products,
      16.0 / 64 + 0.01,
      "too_many_loads",
      "there are more loads from shared memory than 16 for 64 multiply-adds. Eight elements of s_A "
      "and eight of s_B, in registers, make 64 products");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1.01,
      "bank_conflicts",
      "there are 16 loads for 64 multiply-adds, but not each takes one round: lanes that load "
      "other "
      "words meet in a bank. Which results a thread has decides which words its lane loads");
}

TEST_CASE("four waves") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int edge = 64, waves = 4, K = 2 * waves;
    std::vector<float> A(edge * K), B(K * edge);
    for (int wave = 0; wave < waves; ++wave)
      for (int i = 0; i < edge; ++i) { // cos(u - v) = cos u cos v + sin u sin v
        const double angle = (wave + 0.5) * std::acos(-1.0) / waves, at = 0.75 * (i - 31.5);
        const double u = at * std::sin(angle), v = at * std::cos(angle);
        A[i * K + 2 * wave] = static_cast<float>(std::cos(u));
        A[i * K + 2 * wave + 1] = static_cast<float>(std::sin(u));
        B[2 * wave * edge + i] = static_cast<float>(std::cos(v));
        B[(2 * wave + 1) * edge + i] = static_cast<float>(std::sin(v));
      }
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
    const auto d_C = checker::poisoned<float>(edge * edge);
    multiply<<<1, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), edge, K);
    const auto C = d_C.download();
    std::vector<bool> cells;
    for (int i = 12 * edge; i < 52 * edge; ++i)
      cells.push_back(C[i] > 0.8f);
    checker::note(
        "A wave that runs in any direction takes two products of a row and a column. Four "
        "of them, in one slice of your kernel, make a pattern that never repeats:" +
        checker::picture(cells, edge));
  });
}
