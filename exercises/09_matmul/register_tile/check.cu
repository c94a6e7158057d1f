// Checks register_tile.cu: the product, with four loads from shared memory for four multiply-adds.
#include "products.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 32;
  const dim3 grid(N / tile, M / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(tile, tile / 4)>>>(A, B, C, N, K);
  });
}

} // namespace

TEST_CASE("the product is right") {
  check(32, 32, 32);
  check(64, 32, 96);
  check(32, 32, 0);
}

TEST_CASE("four loads for four products") {
  const int M = 32, N = 64, K = 64;
  const auto seen = check(M, N, K);
  if (!seen)
    return;
  expect_tiles(*seen, M, N, K, 32);
  const double products = static_cast<double>(M) * N * K / 32.0; // of a warp
  checker::expect_at_most(
      "shared_loads_per_product",
      static_cast<double>(checker::total(*seen, emu::Access::shared_load).requests) / products,
      1.01,
      "too_many_loads",
      "the product is right, but a thread loads more from shared memory than four elements for "
      "four "
      "multiply-adds. Does each serve all of its results in that row, or in that column? And in "
      "which "
      "shape do four results need the fewest?");
}
