// Checks four_in_flight.cu: every number, coalesced loads, and how many come before the first store.
#include "checker/nasty.hpp"

#include <algorithm>
#include <numeric>

int blocks_for(int n, int threads);
__global__ void gather(const int *in, const int *places, int n, int *out);

namespace {

constexpr int poison = static_cast<int>(0xCDCDCDCD);

std::vector<int> gathered(const std::vector<int> &in, const std::vector<int> &places) {
  std::vector<int> out;
  for (int place : places)
    out.push_back(in[place]);
  return out;
}

// n places among `of`, as they come.
std::vector<int> drawn_places(int n, int of) { return checker::random_values<int>(n, 0, of - 1); }

// From the last one to the first: each warp's numbers are neighbours, too.
std::vector<int> backwards(int n) {
  std::vector<int> places(n);
  std::iota(places.rbegin(), places.rend(), 0);
  return places;
}

std::optional<emu::Observation>
check(const std::vector<int> &h_places, int threads, int offset = 0) {
  const int n = static_cast<int>(h_places.size());
  const auto h_in = checker::extreme_values<int>(std::max(n, 1));
  const auto expected = gathered(h_in, h_places);
  std::vector<int> further(offset, -1); // places that nobody may look at
  further.insert(further.end(), h_places.begin(), h_places.end());
  const auto d_in = checker::on_device(h_in), d_places = checker::on_device(further);
  const auto d_out = checker::poisoned<int>(n + offset);
  const std::string what =
      checker::counted(n, "number") + " in blocks of " + std::to_string(threads);
  const int blocks = blocks_for(n, threads);
  checker::expect(blocks >= 0 && blocks <= n, "wrong_result", what + ": this many blocks?");
  auto seen = checker::launch(what, [&] {
    if (blocks > 0)
      gather<<<blocks, threads>>>(d_in.data(), d_places.data() + offset, n, d_out.data() + offset);
  });
  auto got = d_out.download();
  got.erase(got.begin(), got.begin() + offset);
  const int at_most = 4 * blocks * threads;
  int missing = 0, wrong = 0;
  for (int i = 0; i < n; ++i)
    if (got[i] == poison)
      ++missing;
    else if (got[i] != expected[i])
      ++wrong;
  checker::diagnose("too_few_blocks",
                    wrong == 0 && at_most < n && missing == n - at_most,
                    what + ": what is there is right, but blocks_for(" + std::to_string(n) + ", " +
                        std::to_string(threads) + ") is " + std::to_string(blocks) +
                        ", and so many blocks take " + checker::counted(at_most, "number") +
                        " at most");
  checker::diagnose("numbers_left_out",
                    missing > 0 && wrong == 0,
                    what + ": what is there is right, but " + checker::counted(missing, "number") +
                        (missing == 1 ? " was" : " were") +
                        " left out. A thread may have fewer than four left");
  checker::diagnose("places_themselves",
                    n > 1 && got == h_places,
                    what + ": these are the places. The numbers that stand there are asked for");
  checker::expect_same("results of " + what, got, expected);
  return seen;
}

// One warp on 128 numbers, with results that go to where its own next loads of one array are: each lane
// overwrites what only it will read. So the results tell how many of these loads came first.
// @param numbers  whether the results go to where the numbers are, or the places
int loads_before_the_first_store(bool numbers) {
  const auto h_in = checker::random_values<int>(160, 0, 127);
  std::vector<int> h_places(160);
  std::iota(h_places.begin(), h_places.end(), 0);
  const auto d_in = checker::on_device(h_in), d_places = checker::on_device(h_places);
  const auto &written = numbers ? d_in : d_places;
  checker::launch(
      std::string("128 numbers, and results that lie on the next of the ") +
          (numbers ? "numbers" : "places"),
      [&] { gather<<<1, 32>>>(d_in.data(), d_places.data(), 128, written.data() + 32); });
  const auto after = written.download();
  int loads = 0;
  for (bool first = true; first && loads < 4; loads += first)
    for (int lane = 0; lane < 32; ++lane)
      first = first && after[32 * (loads + 1) + lane] == h_in[32 * loads + lane];
  return loads;
}

} // namespace

TEST_CASE("every size, in any blocks, from any address on") {
  checker::every_size(128, {32, 47, 96, 256, 1024}, [](int n, int threads) {
    check(drawn_places(n, std::max(n, 1)), threads);
  });
  check(drawn_places(1000, 1000), 64, 1);
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
  checker::record("bytes_of_a_warp_of_doubles", 32.0 * 3 * sizeof(double));
  const auto seen = check(backwards(1024), 64);
  if (seen) {
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4,
        "uncoalesced",
        "each load of a warp should need 4 sectors here, where numbers in a row are fetched: in "
        "each "
        "of a thread's four loads, neighbouring threads have to take neighbouring places");
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  }
  for (const bool numbers : {true, false})
    checker::expect_at_least(
        numbers ? "numbers_in_flight" : "places_in_flight",
        loads_before_the_first_store(numbers),
        4,
        "one_at_a_time",
        std::string("the results are right, but a load of a ") + (numbers ? "number" : "place") +
            " comes behind a store. `out` could be where it loads from, so the load cannot begin "
            "before the store has");
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      checker::expect(kernel.restricted_parameters == 0,
                      "false_promise",
                      "__restrict__ promises that `out` overlaps nothing. It may, and then the "
                      "compiler is free "
                      "to do anything: write the loads before the stores instead");
}
