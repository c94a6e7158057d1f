// Checks first_add.cu: two elements a thread, any tail, neighbours beside neighbours.
#include "checker/checker.hpp"

__global__ void block_sum(const unsigned *in, int n, unsigned *out);

namespace {

unsigned blocks_for(int n, int per_block) { return n > 0 ? (n + per_block - 1) / per_block : 1; }

std::optional<emu::Observation> check(int n, int block) {
  const int per_block = 2 * block;
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
  std::vector<unsigned> first_only(grid, 0), without_tail(grid, 0);
  for (int i = 0; i < n; ++i) {
    if (i % per_block < block)
      first_only[i / per_block] += h_in[i];
    const int partner = i % per_block < block ? i + block : i - block;
    if (partner < n)
      without_tail[i / per_block] += h_in[i];
  }
  checker::diagnose("second_half_missing",
                    got != expected && got == first_only,
                    what + ": each block has left out the second half of its elements");
  checker::diagnose("tail_dropped",
                    got != expected && got == without_tail,
                    what + ": where a thread has a first element and no second one, its first is "
                           "missing");
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

TEST_CASE("a tail of every kind") {
  for (int n : {128, 129, 255, 256, 257, 383, 384, 385})
    check(n, 128);
}

TEST_CASE("neighbouring lanes load neighbouring elements") {
  const auto seen = check(4096, 256);
  if (seen)
    checker::expect_at_most(
        "global_load.sectors_per_request",
        checker::total(*seen, emu::Access::global_load).sectors_per_request(),
        4.0,
        "uncoalesced",
        "a warp's load should touch 4 sectors. Elements 2 * i and 2 * i + 1 put "
        "neighbouring lanes two elements apart");
}
