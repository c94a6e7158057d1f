// Checks ragged_edge.cu: every shape, the ragged ones first of all.
#include "products.hpp"

#include <limits>

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 16;
  const dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(tile, tile)>>>(A, B, C, M, N, K);
  });
}

// Row 1 of A begins and ends with infinity, and so does column 2 of B. That is in sums of this row and this
// column only, unless what lies beside an edge is multiplied by 0, which makes NaN of infinity.
void check_infinity(int M, int N, int K) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  A[K] = A[2 * K - 1] = B[2] = B[(K - 1) * N + 2] = infinity;
  const auto expected = product(A, B, M, N, K, K);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N) +
                           ", with infinity in row 1 of A and in column 2 of B";
  checker::observe(what, [&] {
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    multiply<<<grid, dim3(16, 16)>>>(d_A.data(), d_B.data(), d_C.data(), M, N, K);
    LAB_CHECK_LAUNCH();
  });
  const auto got = d_C.download();
  for (int i = 0; i < M * N; ++i)
    checker::expect(got[i] == expected[i],
                    "edge_times_zero",
                    what + ": the element of row " + std::to_string(i / N) + ", column " +
                        std::to_string(i % N) + " is " + std::to_string(got[i]) + ", not " +
                        std::to_string(expected[i]) +
                        ". An element that does not belong here, of the next row perhaps, was "
                        "loaded and multiplied by 0. But 0 times infinity is not 0: outside of the "
                        "matrices both factors have to be 0");
}

} // namespace

TEST_CASE("shapes that fit the tiles") {
  check(16, 16, 16);
  check(32, 48, 64);
}

TEST_CASE("shapes that do not fit") {
  check(17, 33, 16);
  check(16, 16, 20);
  check(37, 21, 43);
  check(1, 1, 1);
}

TEST_CASE("one edge at a time") {
  check(21, 16, 16);
  check(16, 21, 16);
  check(16, 16, 21);
  check(5, 16, 32);
  check(32, 5, 16);
  check(16, 32, 5);
}

TEST_CASE("infinity beside an edge") {
  check_infinity(20, 20, 20);
  check_infinity(5, 16, 21);
}

TEST_CASE("what is loaded in vain") {
  const auto seen = check(20, 20, 20);
  if (!seen)
    return;
  checker::record("global_load.active_lanes",
                  checker::total(*seen, emu::Access::global_load).active_lanes());
  checker::expect_lanes(*seen, emu::Access::shared_load, 30.0);
}
