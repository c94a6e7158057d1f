// Checks race_hunt.cu: the running sums, without a race, and with one barrier for each round.
#include "checker/nasty.hpp"

__global__ void running_sum(const unsigned *in, int n, unsigned *out);

namespace {

/// Sums of so many elements, or of as many as the block has up to there.
std::vector<unsigned> of_the_last(int count, const std::vector<unsigned> &in) {
  std::vector<unsigned> sums(in.size());
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    for (int k = 0; k < count && k <= i % 256; ++k)
      sums[i] += in[i - k];
  return sums;
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  std::vector<unsigned> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(h_in[i] + (i % 256 == 0 ? 0 : expected.back()));
  const std::string what = checker::counted(n, "element");
  const int blocks = checker::enough_blocks(n, 256);
  checker::perhaps(
      "A thread with nothing to add hands its number on, too, to where the next round reads",
      "uninitialised");
  auto seen =
      checker::launch(what, [&] { running_sum<<<blocks, 256>>>(d_in.data(), n, d_out.data()); });
  const auto got = d_out.download();
  checker::diagnose("one_round_short",
                    n > 128 && got == of_the_last(128, h_in),
                    what +
                        ": each sum is that of 128 elements at the most. That is what stood there "
                        "before the last round: where has the last one written?");
  checker::expect_same("running sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("one full block") { check(256); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("one barrier per round") {
  const auto seen = check(512);
  if (!seen)
    return;
  checker::record("additions_of_8_rounds", 8 * 256 - 255); // in each, `stride` threads have none
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          9.0,
                          "too_many_barriers",
                          "one barrier after the load and one in each of 8 rounds are enough, if "
                          "nobody writes where others still read");
  checker::expect_at_most(
      "loads_per_thread",
      checker::accesses_per_thread(*seen, emu::Access::shared_load) +
          checker::accesses_per_thread(*seen, emu::Access::global_load),
      3 * 8, // its own number, its neighbour's, and one more for who likes to look twice
      "too_many_loads",
      "the rounds were to stay: in each of 8 a thread adds one number. If it adds all up to its "
      "own, the last one makes 255 additions one after the other");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_store, 20.0);
}
