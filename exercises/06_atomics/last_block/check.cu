// Checks last_block.cu: the mean, launch after launch, and that nobody reads too early.
#include "checker/nasty.hpp"

__global__ void
mean(const unsigned *in, int n, unsigned long long *partials, unsigned *tickets, unsigned *result);

namespace {

std::optional<emu::Observation> check(int n, int grid, int launches) {
  std::optional<emu::Observation> seen; // of the last launch
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_partials = checker::poisoned<unsigned long long>(grid);
  const auto d_tickets = checker::on_device(std::vector<unsigned>{0});
  unsigned long long sum = 0;
  for (unsigned value : h_in)
    sum += value;
  const auto mean_of = [n](unsigned long long all) {
    return n > 0 ? static_cast<unsigned>(all / static_cast<unsigned>(n)) : 0;
  };
  const unsigned expected = mean_of(sum);
  for (int launch = 1; launch <= launches; ++launch) {
    const auto d_result = checker::poisoned<unsigned>(1);
    const std::string what = checker::counted(n, "number") + " in " +
                             checker::counted(grid, "block") + ", launch " + std::to_string(launch);
    checker::perhaps(
        "What a block has stored another one may read only behind its ticket. That takes "
        "a __threadfence() between the store and the ticket, by the thread that "
        "stores, then a __syncthreads() if another thread draws; and a __threadfence() behind the "
        "ticket, by each thread that reads the sums, or by the one that draws, ahead of the "
        "barrier",
        "global_race");
    checker::perhaps("No block may wait for others: they may find no room until it ends. The one "
                     "that draws the last ticket has nobody to wait for",
                     "endless_loop");
    seen = checker::launch(what, [&] {
      mean<<<grid, 64>>>(d_in.data(), n, d_partials.data(), d_tickets.data(), d_result.data());
    });
    const unsigned got = d_result.at(0), tickets = d_tickets.at(0);
    checker::diagnose("nobody_is_last",
                      got == 0xCDCDCDCDu && launch == 1,
                      what +
                          ": nobody has written a result: no block drew the last ticket. How many "
                          "tickets does a block draw?");
    checker::diagnose("tickets_not_reset",
                      got == 0xCDCDCDCDu && launch > 1,
                      what +
                          ": the first launch was right, this one has written nothing: the tickets "
                          "of the launch before are still counted");
    checker::diagnose("sum_overflows",
                      got != expected && got == mean_of(sum % (1ull << 32)),
                      what + ": somewhere on its way the sum was in an unsigned, which holds no "
                             "more than 2^32 - 1");
    checker::expect_same("mean of " + what, got, expected);
    checker::expect(tickets == 0,
                    "tickets_not_reset",
                    what + ": the result is right, but *tickets is " + std::to_string(tickets) +
                        " at the end. The next launch begins with it");
  }
  return seen;
}

} // namespace

TEST_CASE("one block") { check(200, 1, 1); }

TEST_CASE("many blocks") {
  for (int n : checker::sizes())
    check(n, 7, 1);
}

TEST_CASE("more blocks than anybody has counted") {
  checker::unobserved([] { check(70'000, 1031, 2); });
}

TEST_CASE("launch after launch") { check(1000, 5, 3); }

TEST_CASE("whichever block comes in between") {
  checker::in_drawn_orders([] { check(500, 6, 2); });
}

TEST_CASE("every thread adds up its share") {
  if (const auto seen = check(4096, 4, 1)) // and one of them reads four partial sums
    checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
}

TEST_CASE("eight blocks") {
  if (const auto seen = check(300, 8, 1))
    checker::record("tickets", checker::total(*seen, emu::Access::global_atomic).lanes);
}

TEST_CASE("one ticket for each block, and no other atomics") {
  if (const auto seen = check(1000, 5, 1))
    checker::expect_at_most(
        "atomics",
        static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes),
        5 + 1, // who will may set the counter back with one
        "atomics_for_fences",
        "the sums of the blocks go through atomics. An atomic makes its own word whole, and says "
        "nothing about when others see which one: that is what a fence is for, once on each side");
}
