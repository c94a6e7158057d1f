// Checks new_exercise.cu: every size, in any blocks, by all lanes.
#include "checker/nasty.hpp"

__global__ void new_exercise(const float *in, int n, float *out);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<float>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected;
  for (float value : h_in)
    expected.push_back(2 * value);

  const std::string what = checker::counted(n, "element");
  auto seen = checker::observe(what, [&] {
    new_exercise<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_out.data());
    LAB_CHECK_LAUNCH();
  });
  checker::expect_same_bits(what, d_out.download(), expected);
  return seen;
}

} // namespace

TEST_CASE("any size, in any blocks") {
  checker::every_size(64, {96, 32, 256}, [](int n, int block) { check(n, block); });
}

TEST_CASE("all lanes work") {
  if (const auto seen = check(1024, 128))
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}
