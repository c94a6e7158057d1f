// Checks places.cu: each group of 32 in order, and that a warp waits for itself, three times a round.
#include "checker/nasty.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

__global__ void sort_groups(const unsigned *in, int n, unsigned *out);

namespace {

/// Three waits in each round, whether the last group is full or not, and all warps that can have a group work.
void expect_three_waits(const std::string &what, const emu::Observation &seen, int n, int grid) {
  const int groups = (n + 31) / 32, warps = 4 * grid, rounds = (groups + warps - 1) / warps;
  checker::expect_at_most(
      "meetings_per_warp",
      checker::meetings_per_warp(seen),
      3.0 * rounds,
      "too_many_waits",
      what + ": " + checker::counted(rounds, "round") +
          " of a warp, and in each three waits are enough, of any kind: lanes meet at a vote or a "
          "shuffle as well. A gap "
          "takes none if each lane writes, behind it, just the word that it has read itself ahead "
          "of it");
  if (groups >= warps)
    checker::expect_lanes(seen, emu::Access::shared_store, 16.0);
}

std::optional<emu::Observation> check(const std::vector<unsigned> &h_in, int grid) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "number") + " by " + checker::counted(grid, "block");
  checker::perhaps("Each lane stores twice: its number, and then the same at its place, a word of "
                   "another lane that others may still read. Whoever stores waits until all have "
                   "read what stood there, and whoever reads until all have stored: a __syncwarp() "
                   "between the one and the other, each time (chapter 10)",
                   "shared_race",
                   "or a __syncthreads(),"); // as long as nobody waits anywhere
  checker::perhaps("Each warp has 32 words of its own, and here two have touched one. The places "
                   "of a group are 0 to 31, and its row of s_values is the warp's",
                   "shared_race",
                   " are in two");
  checker::perhaps("The first is of one round, the second of the next, and nobody waits between "
                   "rounds. A fourth wait would do; for three, which word could a lane read at the "
                   "end that no other lane writes first in the next round?",
                   "shared_race",
                   "before anybody goes on to");
  checker::perhaps(
      "Two lanes have found the same place. Word `other` has the number of the lane that wrote "
      "it there: of two equal numbers which comes first, by the test of either lane? "
      "And does a lane count its own?",
      "shared_race",
      "an index that gives each thread an element");
  auto seen =
      checker::launch(what, [&] { sort_groups<<<grid, 128>>>(d_in.data(), n, d_out.data()); });
  std::vector<unsigned> expected = h_in;
  for (int first = 0; first < n; first += 32)
    std::sort(expected.begin() + first,
              expected.begin() + std::min(first + 32, n),
              std::greater<unsigned>());
  const auto got = d_out.download();
  bool one_on = got != expected && n >= 32; // each number stands a place too far on in its group
  for (int i = 0; i < n; ++i)
    one_on = one_on && (i % 32 == 0 || got[i] == expected[i - 1]);
  checker::expect(!one_on,
                  "one_place_on",
                  what +
                      ": each number stands a place too far on, and the last one in a word that is "
                      "none of its warp's. The first place is 0: does a number count itself among "
                      "those ahead of it?");
  bool ascending = got != expected;
  for (int first = 0; first < n && ascending; first += 32) // where the group is whole
    ascending =
        first + 32 > n || std::equal(got.begin() + first,
                                     got.begin() + first + 32,
                                     std::make_reverse_iterator(expected.begin() + first + 32));
  checker::diagnose(
      "smallest_first",
      ascending && n >= 32,
      what + ": each group is in order, and its smallest number comes first. Which word has the "
             "number that lane 0 stores?");
  checker::diagnose("equal_numbers",
                    got != expected && n == 300,
                    what +
                        ": where all numbers differ each group is right; here some are equal, and "
                        "these meet in one place. Which of two equal ones comes first? All lanes "
                        "have to agree on it");
  checker::expect_same("sorted groups of " + what, got, expected);
  if (seen)
    expect_three_waits(what, *seen, n, grid);
  return seen;
}

// The four accesses of a lane's round, and which gaps are the lane's own affair. Nothing if there are others than these.
std::string ring_of(const emu::Observation &seen, int lane) {
  std::map<int, const emu::LineReport *> stores, loads; // by line
  for (const emu::KernelReport &kernel : seen.kernels)
    for (const emu::LineReport &line : kernel.lines)
      if (line.access == emu::Access::shared_store || line.access == emu::Access::shared_load)
        (line.access == emu::Access::shared_store ? stores : loads)[line.where.line] = &line;
  if (stores.size() != 2 || loads.empty() || loads.rbegin()->first <= stores.rbegin()->first)
    return "";
  const emu::RequestSample &first = stores.begin()->second->worst,
                           &second = stores.rbegin()->second->worst,
                           &last = loads.rbegin()->second->worst;
  const std::uint64_t base = std::ranges::min(first.address);
  const auto word = [&](const emu::RequestSample &access) {
    const auto at = static_cast<std::int64_t>(access.address[lane] - base) / 4;
    return "word " + std::to_string(at % 32) + std::string(at < 0 || at > 31 ? "'" : "");
  };
  // Whether some lane goes on to a word of another one's; of a lane that has come to all words, to any of these.
  const auto waits = [](const emu::RequestSample &from, const emu::RequestSample &to, bool all) {
    for (int a = 0; a < 32; ++a)
      for (int b = 0; b < 32; ++b)
        if ((all || a != b) && from.address[a] == to.address[b])
          return true;
    return false;
  };
  const std::string written = "writes " + word(first), read = "reads " + word(last);
  const auto padded = [](const std::string &text) {
    return "\n   " + text + std::string(text.size() < 15 ? 15 - text.size() : 0, ' ');
  };
  return "Lane " + std::to_string(lane) + ", round after round:" + padded(written) +
         " --- wait ---> reads all 32" + padded("     ^") + "                     |" +
         padded(waits(last, first, false) ? "   wait" : "  no wait") + "                  " +
         (waits(first, second, true) ? " wait" : "no wait") + padded("     |") +
         "                     v" + padded(read) +
         (waits(second, last, false) ? " <--- wait --- " : " <-- no wait - ") + "writes " +
         word(second) + "\n";
}

std::vector<unsigned> numbers(int n, unsigned below = ~0u) {
  return checker::random_values<unsigned>(n, 1, below);
}

} // namespace

TEST_CASE("one group") { check(numbers(32), 1); }

TEST_CASE("a group for each warp") { check(numbers(128), 1); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(numbers(n), 2);
  check(numbers(1000), 4);
}

TEST_CASE("equal numbers") { check(numbers(300, 4), 1); }

TEST_CASE("three waits per round, of a warp alone") {
  const auto seen = check(numbers(1024), 1); // 4 warps, 8 rounds
  if (!seen)
    return;
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          0.0,
                          "block_barrier",
                          "__syncthreads() waits for the whole block. Lanes of one warp wait for "
                          "each other with __syncwarp()");
  checker::expect_at_least(
      "shared_store.requests_per_warp",
      static_cast<double>(checker::total(*seen, emu::Access::shared_store).requests) / 4.0,
      16.0,
      "not_through_shared",
      "the numbers are right, but not both, the group as it comes and the group in order, have "
      "been "
      "stored in shared memory");
  checker::expect_lanes(*seen, emu::Access::shared_store, 30.0);
  checker::expect_masks_named(*seen);
}

TEST_CASE("a ring") {
  checker::unless_failed_before();
  constexpr int n = 32, top = 16, lane = 5;
  const auto h_in = checker::random_values<unsigned>(n, 1, top);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const auto seen =
      checker::launch("a group", [&] { sort_groups<<<1, 128>>>(d_in.data(), n, d_out.data()); });
  const auto sorted = d_out.download();
  std::vector<bool> cells;
  for (unsigned height = top; height > 0; --height)
    for (int i = 0; i < 2 * n + 4; ++i)
      cells.push_back(i < n ? h_in[i] >= height : i >= n + 4 && sorted[i - n - 4] >= height);
  checker::note(
      (seen ? ring_of(*seen, lane) : "") +
      "32 numbers as they came, and as your warp put them:" + checker::picture(cells, 2 * n + 4));
}
