// Checks ragged_edge.cu: every shape, the ragged ones first of all.
#include "products.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

std::optional<emu::Observation> check(int M, int N, int K) {
  constexpr int tile = 16;
  const dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
  return check_product(M, N, K, tile, [&](const float *A, const float *B, float *C) {
    multiply<<<grid, dim3(tile, tile)>>>(A, B, C, M, N, K);
  });
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

TEST_CASE("what is loaded in vain") {
  const auto seen = check(20, 20, 20);
  if (seen)
    checker::record("global_load.active_lanes",
                    checker::total(*seen, emu::Access::global_load).active_lanes());
}
