// Checks padded_tile.cu: the product, and every store of a warp in one round.
#include "products.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 16;
  const dim3 grid(N / tile, M / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(tile, tile)>>>(A, B, C, N, K);
  });
}

} // namespace

TEST_CASE("the product is right") {
  check(16, 16, 16);
  check(64, 32, 96);
  check(32, 32, 0);
}

TEST_CASE("no two lanes meet in a bank") {
  const auto seen = check(32, 64, 32);
  if (!seen)
    return;
  expect_tiles(*seen, 32, 64, 32, 16);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_store,
      1,
      "bank_conflicts",
      "lanes of a warp store to one bank, one after the other, where all 32 could store at "
      "once. In which banks do the rows of s_A begin? That depends on how long a row is, not on "
      "how many there are. The second row of threads stores to the words beside them");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_load,
      1,
      "bank_conflicts",
      "lanes of a warp load from one bank, one after the other, where all 32 could load at once");
}
