// Checks places.cu: each number's place in its 32, and that a warp waits for itself, twice a round.
#include "checker/nasty.hpp"

__global__ void places(const unsigned *in, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, int grid) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "number") + " by " + checker::counted(grid, "block");
  auto seen = checker::launch(what, [&] { places<<<grid, 128>>>(d_in.data(), n, d_out.data()); });
  std::vector<unsigned> expected(n, 0);
  for (int i = 0; i < n; ++i)
    for (int other = i / 32 * 32; other < n && other < (i / 32 + 1) * 32; ++other)
      expected[i] += h_in[other] < h_in[i] || (h_in[other] == h_in[i] && other < i);
  checker::expect_same("places of " + what, d_out.download(), expected);
  return seen;
}

std::vector<unsigned> numbers(int n, unsigned below = ~0u) {
  return checker::random_values<unsigned>(n, 0, below - 1);
}

} // namespace

TEST_CASE("a group for each warp") { check(numbers(128), 1); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(numbers(n), 2);
}

TEST_CASE("equal numbers") { check(numbers(300, 4), 1); }

TEST_CASE("two waits per round, of a warp alone") {
  const auto seen = check(numbers(1024), 1); // 4 warps, 8 rounds
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          0.0,
                          "block_barrier",
                          "__syncthreads() waits for the whole block. Lanes of one warp wait for "
                          "each other with __syncwarp()");
  checker::expect_at_most("meetings_per_warp",
                          checker::meetings_per_warp(*seen),
                          16.0,
                          "too_many_waits",
                          "in each of 8 rounds a warp has to wait twice: until all have written, "
                          "and until all have read");
  checker::expect_at_least(
      "shared_store.requests_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests) / 4.0,
      8.0,
      "not_through_shared",
      "lay each group out in shared memory");
  checker::expect_lanes(*seen, emu::Access::shared_store, 30.0);
  checker::expect_masks_named(*seen);
}
