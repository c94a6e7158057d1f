// Checks volatile_tail.cu: the sums, and that every lane waits for those it reads from.
#include "checker/nasty.hpp"

__global__ void tail_sum(const unsigned *in, unsigned *out);

namespace {

std::optional<emu::Observation> check(unsigned blocks) {
  const auto h_in = checker::extreme_values<unsigned>(64 * blocks);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(blocks);
  std::vector<unsigned> expected(blocks, 0);
  for (std::size_t i = 0; i < h_in.size(); ++i)
    expected[i / 64] += h_in[i];
  const std::string what = checker::counted(blocks, "block") + " of 64 elements";
  auto seen = checker::launch(what, [&] { tail_sum<<<blocks, 32>>>(d_in.data(), d_out.data()); });
  checker::expect_same("sums of " + what, d_out.download(), expected);
  return seen;
}

} // namespace

TEST_CASE("one block") { check(1); }

TEST_CASE("many blocks") { check(33); }

TEST_CASE("no lane adds what nobody needs") {
  const auto seen = check(4);
  if (!seen)
    return;
  checker::expect_at_most("shared_store.requests_per_block",
                          checker::total(*seen, emu::Access::shared_store).requests / 4.0,
                          8.0,
                          "too_many_stores",
                          "two stores for the elements and one in each of the 6 rounds are enough");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_load, 8.0);
  checker::expect_masks_named(*seen);
}

TEST_CASE("a warp waits for itself, not for a block") {
  const auto seen = check(2);
  if (seen)
    checker::expect_at_most(
        "barriers_per_block",
        checker::barriers_per_block(*seen),
        0.0,
        "block_barrier",
        "__syncthreads() waits for the whole block. Lanes of one warp wait for each "
        "other with __syncwarp()");
}
