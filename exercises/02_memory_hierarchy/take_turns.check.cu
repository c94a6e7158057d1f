// Checks take_turns.cu: the sum, in 64 bits, by neighbours.
#include "checker/nasty.hpp"

__global__ void sum_of_squares(const int *in, int n, unsigned long long *partials);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<int>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_partials = checker::poisoned<unsigned long long>(block);
  unsigned long long expected = 0;
  unsigned in_32_bits = 0;
  for (int value : h_in) {
    expected += static_cast<unsigned long long>(static_cast<long long>(value) * value);
    in_32_bits += static_cast<unsigned>(value) * static_cast<unsigned>(value);
  }
  const std::string what = checker::counted(n, "int") + " by " + checker::counted(block, "thread");
  auto seen = checker::observe(what, [&] {
    sum_of_squares<<<1, block>>>(d_in.data(), n, d_partials.data());
    LAB_CHECK_LAUNCH();
  });
  unsigned long long sum = 0, low = 0;
  for (unsigned long long part : d_partials.download()) {
    sum += part;
    low += static_cast<unsigned>(part);
  }
  checker::diagnose(
      "overflow",
      sum != expected && static_cast<unsigned>(low) == in_32_bits,
      what + ": the lower 32 bits are right. the square of a number above 46340 does not fit "
             "32 bits: multiply in 64 bits");
  checker::expect_same("sum of the squares of " + what, sum, expected);
  return seen;
}

} // namespace

TEST_CASE("every size, in any block") { checker::every_size(128, {1, 32, 100, 512}, check); }

TEST_CASE("neighbouring lanes read neighbouring ints") {
  const auto seen = check(8192, 256);
  if (!seen)
    return;
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "32 neighbouring ints lie in 4 sectors of 32 bytes. Here each lane reads "
      "in a piece of its own");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
