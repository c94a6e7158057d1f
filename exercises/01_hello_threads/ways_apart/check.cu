// Checks ways_apart.cu: every place once, and that the lanes of a warp go one way.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <observation/words.hpp>

__global__ void two_ways(const unsigned *in, int n, unsigned *out);

namespace {

unsigned steps_to_one(unsigned number) {
  unsigned steps = 0;
  for (; number > 1 && steps < 60; ++steps)
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

unsigned digits(unsigned number) {
  unsigned sum = 0;
  for (int round = 0; round < 12; ++round) {
    for (unsigned rest = number; rest > 0; rest /= 10)
      sum += rest % 10;
    number = sum * sum;
  }
  return sum;
}

/// "threads 0 and 64 of block 1 both take place 0; ": as far as the instruments have seen two; empty if they have not.
std::string both_take_one(const std::optional<emu::Observation> &seen) {
  const emu::Hazard *twice = seen ? seen->find("same_value_race") : nullptr;
  int i = 0;
  if (!twice || twice->here.block[0] != twice->other.block[0] ||
      std::sscanf(twice->here.did.c_str(), "writes out[%d]", &i) != 1)
    return {};
  const auto [first, second] = std::minmax(twice->here.thread[0], twice->other.thread[0]);
  return "threads " + std::to_string(first) + " and " + std::to_string(second) + " of block " +
         std::to_string(twice->here.block[0]) + " both take place " + std::to_string(i % 128) +
         "; ";
}

std::string repeated(const char *text, int times) {
  std::string all;
  while (times-- > 0)
    all += text;
  return all;
}

std::uint64_t first_place = 0; // where the first one is, in bytes

/// "Lanes 0, 1, 4 and 5 of one store places 0, 64, 2 and 66, …": of a request of some lanes; empty if there is none.
std::string lanes_together(const emu::Observation &seen) {
  const emu::LineReport *line = checker::busiest_line(seen, emu::Access::global_store);
  std::vector<int> lanes, places;
  for (int lane = 0; line && lane < 32 && lanes.size() < 4; ++lane)
    if (line->worst.active >> lane & 1) {
      lanes.push_back(lane);
      places.push_back(static_cast<int>((line->worst.address[lane] - first_place) / 4 % 128));
    }
  return lanes.size() < 4 || lanes[3] == 3
             ? ""
             : ". " + emu::numbered("Lane", lanes) + " of one store " +
                   emu::numbered("place", places) + ", without those between them";
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  first_place = reinterpret_cast<std::uint64_t>(d_out.data());
  std::vector<unsigned> expected, other_way;
  int missing = 0, odd = 0, odd_of_first = 0, lowest = 128, highest = -1, in_first = 0;
  for (int i = 0; i < n; ++i) {
    expected.push_back(i % 2 == 0 ? steps_to_one(h_in[i]) : digits(h_in[i]));
    other_way.push_back(i % 2 == 0 ? digits(h_in[i]) : steps_to_one(h_in[i]));
  }
  const std::string what = checker::counted(n, "number");
  checker::perhaps("A block has places 0 to 127, of which the first odd one is 1: which thread has "
                   "that, and which place has thread 127?",
                   "out_of_bounds");
  auto seen = checker::launch(what, [&] {
    two_ways<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  for (int i = 0; i < n; ++i) {
    missing += got[i] == 0xCDCDCDCDu;
    odd += got[i] == 0xCDCDCDCDu && i % 2 != 0;
    odd_of_first += got[i] == 0xCDCDCDCDu && i % 2 != 0 && i < 128;
    if (got[i] == 0xCDCDCDCDu && i < 128) {
      lowest = std::min(lowest, i);
      highest = i;
      ++in_first;
    }
  }
  const std::string which = missing != n / 2         ? ""
                            : odd == missing         ? ", all the odd ones"
                            : odd == 0 && n % 2 == 0 ? ", all the even ones"
                                                     : "";
  checker::diagnose("past_the_block",
                    n > 128 && missing == 64 && odd_of_first == 64,
                    what + ": nobody takes the odd places of the first block, 1 to 127. A place of "
                           "128 or more is the next block's: which of your threads come to one, "
                           "and with which of them should the odd places begin?");
  checker::diagnose("places_left_out",
                    missing > 0,
                    what + ": " + both_take_one(seen) + "nobody takes " +
                        (in_first > 1 && in_first == highest - lowest + 1
                             ? "places " + std::to_string(lowest) + " to " + std::to_string(highest)
                             : checker::counted(missing, "place") + which) +
                        ". Each of a block's 128 is to be some thread's, and no other's");
  checker::expect_same("results of " + what, got, expected);
  if (seen)
    checker::expect(!seen->find("same_value_race"),
                    "taken_twice",
                    what + ": all is right, but some places are worked on by two threads. Each "
                           "place is one thread's, and each thread has one");
  return seen;
}

/// Numbers of one way are all alike: as long as lanes go that way together, none leaves a loop before the others.
std::vector<unsigned> alike(int n) {
  std::vector<unsigned> h_in = checker::random_values<unsigned>(2, 2, 9);
  for (int i = 2; i < n; ++i)
    h_in.push_back(h_in[i - 2]);
  return h_in;
}

std::optional<emu::Observation> check(int n) { return check(checker::extreme_values<unsigned>(n)); }

} // namespace

TEST_CASE("full blocks") { check(256); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("a warp goes one way") {
  const auto seen = check(alike(129 * 128)); // more blocks than a block has threads
  if (!seen)
    return;
  std::uint64_t requests = 0, lanes = 0, sectors = 0;
  bool handed_on = false; // before they are stored
  for (const emu::KernelReport &kernel : seen->kernels) {
    const emu::AccessCounts stores = kernel.total(emu::Access::global_store);
    requests += stores.requests;
    lanes += stores.lanes;
    sectors += stores.sectors;
    handed_on |= kernel.warp_meetings > 0 || kernel.total(emu::Access::shared_store).requests > 0;
  }
  checker::expect_at_least(
      "lanes_on_a_way",
      requests > 0 ? static_cast<double>(lanes) / static_cast<double>(requests) : 0,
      30.0,
      "divergent",
      "not all of a warp's 32 lanes store together: some take the other way of the branch, or have "
      "nothing to do, and wait meanwhile" +
          lanes_together(*seen) +
          ". All 32 places of a warp are to be even, or all odd, in whichever order",
      checker::busiest_line(*seen, emu::Access::global_store));
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect(
      handed_on || sectors >= 8 * requests,
      "both_ways",
      "a warp stores places that lie side by side: its lanes store together, but each has gone "
      "both ways to do so. 32 places of one way lie two apart, in 8 sectors");
  for (const emu::KernelReport &kernel : seen->kernels)
    checker::expect(
        kernel.active_lanes >= 30,
        "works_in_two_turns",
        "the lanes of a warp store together, and before that they have worked in two turns: on "
        "average " +
            std::to_string(std::lround(kernel.active_lanes)) +
            " of 32 are at work. Handing results on comes too late: which number does a thread "
            "work on?");
  const emu::LineReport *line = checker::busiest_line(*seen, emu::Access::global_store);
  std::string turn;
  for (int lane = 0; line && lane < 32; ++lane)
    turn += line->worst.active >> lane & 1 ? "█" : "·";
  checker::note("A warp's 32 lanes, █ at work, · waiting. Before, in two turns:\n" +
                repeated("█·", 16) + "\n" + repeated("·█", 16) +
                "\nYours, in one turn, and half the time:\n" + turn);
}

TEST_CASE("a warp of the last block goes one way") {
  checker::unless_failed_before();
  if (const auto seen = check(alike(100))) {
    const auto stores = checker::total(*seen, emu::Access::global_store);
    checker::expect_at_most(
        "stores_of_100_places",
        static_cast<double>(stores.requests),
        4.0,
        "divergent",
        "100 places are no full block, and some of its four warps store twice, once each way. "
        "All places of a warp are to be even, or all odd, in the last block, too");
    checker::record("lanes_of_100_places", stores.active_lanes());
  }
}

TEST_CASE("a picture in numbers") {
  constexpr int rows = 33, cols = 66, n = rows * cols;
  checker::unless_failed_before();
  const float turn = checker::random_values<float>(1, 0.0f, 6.28f)[0];
  const auto drawn = checker::random_values<unsigned>(n, 1, 999);
  std::vector<unsigned> h_in;
  for (int i = 0; i < n; ++i) {
    const double x = (i % cols - 32.5) / 32, y = (i / cols - 16) / 16.0;
    const double along = x * std::cos(turn) + y * std::sin(turn),
                 across = y * std::cos(turn) - x * std::sin(turn);
    const double end = along > 0 ? 1 : -1,
                 middle = std::hypot(along - end / 2, across); // from the middle of its head
    const bool dark = std::hypot(x, y) > 0.94 ? std::hypot(x, y) < 1
                      : middle < 0.16         ? along < 0
                      : middle < 0.5          ? along > 0
                                              : across > 0;
    unsigned number = drawn[i]; // the next one that says so
    while ((i % 2 == 0 ? steps_to_one(number) : digits(number)) % 2 != dark)
      ++number;
    h_in.push_back(number);
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(n);
    two_ways<<<checker::enough_blocks(n, 128), 128>>>(d_in.data(), n, d_out.data());
    const auto got = d_out.download();
    std::vector<bool> cells;
    for (int i = 0; i < n; ++i)
      cells.push_back(got[i] % 2 == 1);
    checker::note(
        "What your threads have read in 2178 numbers, dark where a result is odd. Two ways, "
        "and one picture:" +
        checker::picture(cells, cols));
  });
}
