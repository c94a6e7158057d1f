// Checks tile_barriers.cu: every shape, and two barriers for each pair of tiles, which have 32 products of each sum.
#include "products.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 16, depth = 32;
  const dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
  const auto launch = [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(tile, tile)>>>(A, B, C, M, N, K);
  };
  return check_product(M, N, K, tile, launch, FirstMatrix::turned, depth);
}

} // namespace

TEST_CASE("shapes that fit the tiles") {
  check(32, 32, 32); // of a single tile nobody knows whether it, or all of A, was not turned
  check(32, 48, 64);
}

TEST_CASE("one edge at a time") {
  check(16, 16, 20);
  check(20, 16, 32);
  check(16, 20, 32);
}

TEST_CASE("shapes that do not fit") {
  check(17, 33, 16);
  check(33, 17, 50);
  check(37, 21, 43);
  check(1, 1, 1);
  check(20, 5, 0);
}

TEST_CASE("two barriers for each pair of tiles") {
  const auto seen = check(32, 32, 64);
  if (!seen)
    return;
  expect_tiles(*seen, 32, 32, 64, 16);
  checker::expect_at_most(
      "barriers_per_block",
      checker::barriers_per_block(*seen),
      4,
      "too_many_barriers",
      "64 products are two pairs of tiles of DEPTH each: one barrier when a pair is there, "
      "and one when it is no longer needed");
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "a warp is two rows of 16 threads: two pieces of 64 bytes, 4 sectors. Does "
      "threadIdx.x count the columns, of A and of B?");
}

TEST_CASE("rings") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int M = 68, N = 74, K = 2;
    std::vector<float> A(K * M, 1.0f), B(K * N, 1.0f);
    for (int row = 0; row < M; ++row)
      A[row] = static_cast<float>((2 * row - M) * (2 * row - M));
    for (int col = 0; col < N; ++col)
      B[N + col] = static_cast<float>((2 * col - N) * (2 * col - N));
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
    const auto d_C = checker::poisoned<float>(M * N);
    multiply<<<dim3(5, 5), dim3(16, 16)>>>(d_A.data(), d_B.data(), d_C.data(), M, N, K);
    std::vector<bool> cells;
    for (const float square : d_C.download())
      cells.push_back(static_cast<int>(square / 640.0f) % 2 == 0);
    cells.resize(M / 2 * N);
    checker::note(
        "Nobody has drawn a circle here. Your product has two terms for each sum, the square "
        "of the row times 1, and 1 times that of the column:" +
        checker::picture(cells, N));
  });
}
