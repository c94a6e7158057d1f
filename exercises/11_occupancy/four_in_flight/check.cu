// Checks four_in_flight.cu: every number, coalesced loads, and how many come before the first store.
#include "checker/nasty.hpp"

int blocks_for(int n, int threads);
__global__ void three_n_plus_1(const unsigned *in, int n, unsigned *out);

namespace {

unsigned of(unsigned value) { return 3 * value + 1; }

std::optional<emu::Observation> check(int n, int threads, int offset = 0) {
  const auto h_in = checker::extreme_values<unsigned>(n + offset);
  std::vector<unsigned> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(of(h_in[i + offset]));
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n + offset);
  const std::string what =
      checker::counted(n, "number") + " in blocks of " + std::to_string(threads);
  const int blocks = blocks_for(n, threads);
  checker::expect(blocks >= 0 && blocks <= n, "wrong_result", what + ": this many blocks?");
  auto seen = checker::launch(what, [&] {
    if (blocks > 0)
      three_n_plus_1<<<blocks, threads>>>(d_in.data() + offset, n, d_out.data() + offset);
  });
  auto got = d_out.download();
  got.erase(got.begin(), got.begin() + offset);
  int missing = 0, wrong = 0;
  for (int i = 0; i < n; ++i)
    if (got[i] == 0xCDCDCDCD)
      ++missing;
    else if (got[i] != expected[i])
      ++wrong;
  checker::diagnose("numbers_left_out",
                    missing > 0 && wrong == 0,
                    what + ": what is there is right, but " + std::to_string(missing) +
                        " numbers were left out. A thread may have fewer than four left");
  checker::expect_same("results of " + what, got, expected);
  return seen;
}

// One warp on 128 numbers, with results that go to where its own next loads are: each lane overwrites
// what only it will read. So the results tell how many loads came first.
int loads_before_the_first_store() {
  const auto before = checker::random_values<unsigned>(160, 0, 1u << 30);
  const auto data = checker::on_device(before);
  checker::launch("128 numbers, and the results 32 places further on",
                  [&] { three_n_plus_1<<<1, 32>>>(data.data(), 128, data.data() + 32); });
  const auto after = data.download();
  int loads = 0;
  for (bool first = true; first && loads < 4; loads += first)
    for (int lane = 0; lane < 32; ++lane) {
      const int i = 32 * loads + lane;
      first = first && after[i + 32] == of(before[i]);
    }
  return loads;
}

} // namespace

TEST_CASE("every size, in any blocks, from any address on") {
  checker::every_size(128, {32, 47, 96, 256, 1024}, [](int n, int threads) { check(n, threads); });
  check(1000, 64, 1);
}

TEST_CASE("a quarter of the threads") {
  for (int n : {1024, 1025, 4099, 1, 127, 0}) {
    const int blocks = blocks_for(n, 32), expected = (n + 127) / 128;
    checker::diagnose("too_many_blocks",
                      blocks > expected,
                      "a thread takes four numbers now: most of these blocks have nothing to do");
    checker::expect_same(
        "blocks of 32 threads for " + checker::counted(n, "number"), blocks, expected);
  }
}

TEST_CASE("four loads before the first store, coalesced ones") {
  const auto seen = check(1024, 64);
  if (seen) {
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4,
        "uncoalesced",
        "each load of a warp should need 4 sectors: in each of a thread's four loads, neighbouring "
        "threads have to load neighbouring numbers");
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  }
  const int loads = loads_before_the_first_store();
  checker::record("bytes_in_flight_of_a_warp", 32.0 * 4 * loads);
  checker::expect_at_least(
      "loads_in_flight",
      loads,
      4,
      "one_at_a_time",
      "the results are right, but a load comes behind a store. `out` could be where it loads from, "
      "so the load cannot begin before the store has");
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      checker::expect(
          kernel.restricted_parameters == 0,
          "false_promise",
          "__restrict__ promises that `in` and `out` do not overlap. They may, and then "
          "the compiler is free to do anything: write the loads before the stores instead");
}
