// Checks block_sum.cu: right for every size and every block, with one barrier per round.
#include "checker/checker.hpp"

__global__ void block_sum(const unsigned *in, int n, unsigned *out);

namespace {

unsigned blocks_for(int n, int block) { return n > 0 ? (n + block - 1) / block : 1; }

/// One sum per block, by a plain loop.
std::vector<unsigned> sums_of(const std::vector<unsigned> &in, int block) {
  std::vector<unsigned> sums(blocks_for(static_cast<int>(in.size()), block), 0);
  for (std::size_t i = 0; i < in.size(); ++i)
    sums[i / block] += in[i];
  return sums;
}

/// The sums if the last round, of stride 1, were left out.
std::vector<unsigned> sums_without_last_round(const std::vector<unsigned> &in, int block) {
  std::vector<unsigned> sums(blocks_for(static_cast<int>(in.size()), block), 0);
  for (std::size_t i = 0; i < in.size(); i += 2)
    sums[i / block] += in[i];
  return sums;
}

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::random_values<unsigned>(n, 0, 1u << 20);
  const auto d_in = checker::on_device(h_in);
  const auto expected = sums_of(h_in, block);
  const auto d_out = checker::poisoned<unsigned>(expected.size());

  const std::string what = std::to_string(n) + " elements in blocks of " + std::to_string(block);
  auto seen = checker::observe(what, [&] {
    block_sum<<<blocks_for(n, block), block>>>(d_in.data(), n, d_out.data());
    LAB_CHECK_LAUNCH();
  });

  if (seen)
    checker::expect(!seen->find("exited_at_barrier"),
                    "divergent_barrier",
                    what + ": some threads had left the kernel when others came to a barrier; all "
                           "threads of a block have to come to each __syncthreads()");

  const auto got = d_out.download();
  checker::diagnose("last_round_missing",
                    n > 1 && got == sums_without_last_round(h_in, block),
                    "every second element is missing: the last round, of stride 1, was left out");
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

TEST_CASE("one barrier per round") {
  const auto seen = check(2048, 1024);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          11,
                          "too_many_barriers",
                          "1024 elements need 10 rounds: a barrier before the first and one after "
                          "each are enough");
  checker::record("shared_load.wavefronts_per_request",
                  checker::total(*seen, emu::Access::shared_load).wavefronts_per_request());
}
