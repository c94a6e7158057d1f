// Checks race_hunt.cu: the running sums, without a race and without a barrier too many.
#include "checker/nasty.hpp"

__global__ void running_sum(const unsigned *in, int n, unsigned *out);

namespace {

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  std::vector<unsigned> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(h_in[i] + (i % 256 == 0 ? 0 : expected.back()));
  const std::string what = checker::counted(n, "element");
  const int blocks = checker::enough_blocks(n, 256);
  auto seen =
      checker::launch(what, [&] { running_sum<<<blocks, 256>>>(d_in.data(), n, d_out.data()); });
  checker::expect_same("running sums of " + what, d_out.download(), expected);
  return seen;
}

} // namespace

TEST_CASE("one full block") { check(256); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("two barriers per round") {
  const auto seen = check(512);
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          17.0,
                          "too_many_barriers",
                          "one barrier after the load and two in each of 8 rounds are enough");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_store, 20.0);
}
