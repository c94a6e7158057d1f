// Checks take_turns.cu: the sum, in 64 bits, by neighbours.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void sum_of_squares(const int *in, int n, unsigned long long *partials);

namespace {

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<int>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_partials = checker::poisoned<unsigned long long>(block);
  unsigned long long expected = 0;
  unsigned long long by_warps = 0; // each thread goes on by 32
  unsigned in_32_bits = 0;
  for (int i = 0; i < n; ++i) {
    const auto square = static_cast<unsigned long long>(static_cast<long long>(h_in[i]) * h_in[i]);
    expected += square;
    by_warps +=
        square * static_cast<unsigned>(std::min(i, (block - 1) / 32 * 32 + i % 32) / 32 + 1);
    in_32_bits += static_cast<unsigned>(square);
  }
  const std::string what = checker::counted(n, "int") + " by " + checker::counted(block, "thread");
  auto seen = checker::launch(
      what, [&] { sum_of_squares<<<1, block>>>(d_in.data(), n, d_partials.data()); });
  unsigned long long sum = 0, low = 0;
  for (unsigned long long part : d_partials.download()) {
    sum += part;
    low += static_cast<unsigned>(part);
  }
  checker::diagnose(
      "overflow",
      sum != expected && static_cast<unsigned>(low) == in_32_bits,
      what + ": the lower 32 bits are right. The square of a number above 46340 does not fit "
             "32 bits: multiply in 64 bits");
  checker::diagnose("added_again",
                    sum != expected && sum == by_warps,
                    what +
                        ": numbers are added by several warps, each thread goes on by 32. All the "
                        "threads of the block take turns");
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
