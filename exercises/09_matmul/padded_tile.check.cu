// Checks padded_tile.cu: the product, and every store of a warp in one round.
#include "checker/checker.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);

namespace {

constexpr int tile = 32;

std::vector<float> whole_numbers(int n) {
  std::vector<float> values;
  for (int value : checker::random_values<int>(n, 1, 9))
    values.push_back(static_cast<float>(value));
  return values;
}

std::optional<emu::Observation> check(int M, int N, int K) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  std::vector<float> expected(static_cast<std::size_t>(M) * N, 0.0f);
  for (int row = 0; row < M; ++row)
    for (int k = 0; k < K; ++k)
      for (int col = 0; col < N; ++col)
        expected[row * N + col] += A[row * K + k] * B[k * N + col];

  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  auto seen = checker::observe(what, [&] {
    multiply<<<dim3(N / tile, M / tile), dim3(tile, tile)>>>(
        d_A.data(), d_B.data(), d_C.data(), N, K);
    LAB_CHECK_LAUNCH();
  });
  checker::expect_same(what, d_C.download(), expected, {}, N);
  return seen;
}

} // namespace

TEST_CASE("the product is right") {
  check(32, 32, 32);
  check(64, 32, 96);
}

TEST_CASE("no two lanes meet in a bank") {
  const auto seen = check(32, 64, 32);
  if (!seen)
    return;
  checker::expect_at_most("shared_store.max_conflict",
                          checker::total(*seen, emu::Access::shared_store).max_conflict,
                          1,
                          "bank_conflicts",
                          "so many lanes of a warp store to one bank, one after the other. Rows of "
                          "s_A begin in which bank?");
  checker::expect_at_most("shared_load.max_conflict",
                          checker::total(*seen, emu::Access::shared_load).max_conflict,
                          1,
                          "bank_conflicts",
                          "so many lanes of a warp load from one bank, one after the other");
}
