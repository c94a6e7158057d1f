// Checks shuffle_sum.cu: by registers, with one barrier, for any number of warps.
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
  std::vector<unsigned> first_warps(grid, 0);
  for (int i = 0; i < n; ++i)
    if (i % per_block < 32)
      first_warps[i / per_block] += h_in[i];
  checker::diagnose("first_warp_only",
                    got != expected && got == first_warps,
                    what + ": this is the sum of each block's first warp");
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size, in blocks of 128 threads") {
  for (int n : checker::sizes())
    check(n, 128);
}

TEST_CASE("any number of warps") {
  for (int block : {32, 64, 96, 320, 992, 1024})
    check(1500, block);
}

TEST_CASE("registers, and one barrier") {
  const auto seen = check(1024, 1024);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          1.0,
                          "too_many_barriers",
                          "one barrier is needed: between the warps' sums being written and read");
  checker::expect_at_most(
      "shared_store.requests_per_block",
      static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests),
      32.0,
      "too_much_shared",
      "32 warps leave one sum each. Everything else stays in registers");
}
