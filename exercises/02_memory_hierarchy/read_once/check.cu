// Checks read_once.cu: the sums at all ends, and how often global memory is read.
#include "checker/checker.hpp"

__global__ void window_sum(const int *in, int n, int *out);

namespace {

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::random_values<int>(n, 1, 1 << 20);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<int>(n);
  std::vector<int> expected, own_block(n), own_place(n);
  const int lost = std::max(
      n - 4, 0); // and what is behind it, if a thread tests its own place where it reads another
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = i - 4; k <= i + 4; ++k) {
      const int value = 0 <= k && k < n ? h_in[k] : 0;
      sum += value;
      if (k >= 0 && k / 128 == i / 128)
        own_block[i] += value;
      if (k < lost || (k + 4) / 128 != i / 128)
        own_place[i] += value;
    }
    expected.push_back(sum);
  }
  const std::string what = checker::counted(n, "number");
  auto seen = checker::launch(what, [&] {
    window_sum<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  checker::diagnose("rim_missing",
                    got != expected && got == own_block,
                    what +
                        ": right inside of a block, wrong at its ends: the four numbers on either "
                        "side belong to other blocks, and are needed all the same");
  checker::diagnose("own_place_tested",
                    n > 0 && got != expected && got == own_place,
                    what + ": number " + std::to_string(lost) + " counts as 0: thread " +
                        std::to_string((lost + 4) % 128) +
                        " should bring it, and its own place is past the last one. Test the place "
                        "that is read, and not the thread's own");
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("several blocks") { check(384); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("ends of every kind") {
  for (int n : {3, 4, 5, 124, 127, 128, 129, 132, 133})
    check(n);
}

TEST_CASE("each number comes from global memory once") {
  const auto seen = check(1024);
  if (!seen)
    return;
  checker::expect_at_most(
      "loads_per_element",
      static_cast<double>(checker::total(*seen, emu::Access::global_load).lanes) / 1024.0,
      1.1,
      "too_many_loads",
      "a block needs 136 numbers for its 128 sums: hardly more than one load "
      "for each");
  checker::expect_lanes(*seen, emu::Access::global_load, 12.0); // few lanes fetch the rims
}

TEST_CASE("a last block that is not full") {
  if (const auto seen = check(200))
    checker::record("loads_for_200",
                    static_cast<double>(checker::total(*seen, emu::Access::global_load).lanes));
}
