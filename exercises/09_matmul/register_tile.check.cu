// Checks register_tile.cu: the product, with five loads from shared memory for four multiply-adds.
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
    multiply<<<dim3(N / tile, M / tile), dim3(tile, tile / 4)>>>(
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

TEST_CASE("five loads for four products") {
  const int M = 32, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  const double products = static_cast<double>(M) * N * K / 32.0; // of a warp
  checker::expect_at_most(
      "shared_loads_per_product",
      static_cast<double>(checker::total(*seen, emu::Access::shared_load).requests) / products,
      1.26,
      "too_many_loads",
      "so many loads from shared memory for each multiply-add. Four products of one k share an "
      "element of B: five loads for four");
}
