// Checks idle_lanes.cu: the same sums, by lanes that lie side by side.
#include "checker/checker.hpp"

__global__ void block_sum(const unsigned *in, int n, unsigned *out);

namespace {

unsigned blocks_for(int n, int per_block) { return n > 0 ? (n + per_block - 1) / per_block : 1; }

std::optional<emu::Observation> check(int n, int block) {
  const int per_block = 1 * block;
  const auto h_in = checker::random_values<unsigned>(n, 1, 1u << 20);
  const auto d_in = checker::on_device(h_in);
  const unsigned grid = blocks_for(n, per_block);
  std::vector<unsigned> expected(grid, 0);
  for (int i = 0; i < n; ++i)
    expected[i / per_block] += h_in[i];
  const auto d_out = checker::poisoned<unsigned>(grid);

  const std::string what = std::to_string(n) + " elements in blocks of " + std::to_string(block);
  auto seen = checker::observe(what, [&] {
    block_sum<<<grid, block>>>(d_in.data(), n, d_out.data());
    LAB_CHECK_LAUNCH();
  });

  if (seen)
    checker::expect(!seen->find("exited_at_barrier"),
                    "divergent_barrier",
                    what + ": some threads had left the kernel when others came to a barrier; all "
                           "threads of a block have to come to each __syncthreads()");
  const auto got = d_out.download();
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size, in blocks of 128 threads") {
  for (int n : checker::sizes())
    check(n, 128);
}

TEST_CASE("every size of block") {
  for (int block = 32; block <= 1024; block *= 2)
    check(1500, block);
}

TEST_CASE("whole warps work") {
  const auto seen = check(1024, 1024);
  if (seen)
    checker::expect_at_least(
        "shared_load.active_lanes",
        checker::total(*seen, emu::Access::shared_load).active_lanes(),
        20.0,
        "idle_lanes",
        "of 32 lanes of a warp only few take part in a round. In round one 512 "
        "of 1024 threads have work: that is enough for 16 full warps");
}
