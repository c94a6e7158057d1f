// Checks take_turns.cu: the last place, wherever it is, by neighbours, in pairs, and no further than needed.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void last_place(const int *in, int n, int wanted, int *places);

namespace {

/// n ints, among which `wanted` stands where is_there(place) says so, and nowhere else.
template <class IsThere> std::vector<int> ints(int n, int wanted, IsThere is_there) {
  std::vector<int> values = checker::extreme_values<int>(n);
  for (int i = 0; i < n; ++i)
    if (is_there(i))
      values[i] = wanted;
    else if (values[i] == wanted)
      values[i] = 5;
  return values;
}

/// The last place before `end`, or -1.
int last_of(const std::vector<int> &values, int wanted, int end) {
  int place = end - 1;
  while (place >= 0 && values[place] != wanted)
    --place;
  return place;
}

std::optional<emu::Observation>
check(const std::vector<int> &h_in, int wanted, int blocks, int block) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_places = checker::poisoned<int>(static_cast<std::size_t>(blocks) * block);
  const std::string what = checker::counted(n, "int") + " by " + checker::counted(blocks, "block") +
                           " of " + checker::counted(block, "thread");
  auto seen = checker::launch(
      what, [&] { last_place<<<blocks, block>>>(d_in.data(), n, wanted, d_places.data()); });
  const std::vector<int> places = d_places.download();
  const int expected = last_of(h_in, wanted, n);
  const int got = *std::max_element(places.begin(), places.end());
  for (std::size_t thread = 0; thread < places.size(); ++thread) {
    const int place = places[thread];
    checker::expect(
        !lab::is_poison(place),
        "thread_without_answer",
        what + ": nothing was written for thread " + std::to_string(thread) +
            ". Each thread of the grid leaves a place, or -1, a thread without a pair, too");
    checker::expect(place == -1 || (0 <= place && place < n && h_in[place] == wanted),
                    "not_a_place",
                    what + ": thread " + std::to_string(thread) + " leaves " +
                        std::to_string(place) +
                        ", where `wanted` does not stand. What does a thread leave that has found "
                        "nothing, and which of .x and .y is in[2 * k]?");
  }
  checker::diagnose("last_int_missing",
                    n % 2 == 1 && expected == n - 1 && got == last_of(h_in, wanted, n - 1),
                    what + ": `wanted` is the last int, and nobody has looked there. It is alone: "
                           "n / 2 pairs end before it");
  checker::diagnose("front_of_pair",
                    got % 2 == 0 && expected == got + 1,
                    what + ": both ints of a pair are `wanted`, and its first place comes out. "
                           "Which of .x and .y is asked for first?");
  checker::diagnose("not_the_last",
                    got >= 0 && got < expected,
                    what + ": `wanted` stands there, but also at " + std::to_string(expected) +
                        ". Does a thread begin at the end, and stop at the first place it finds?");
  checker::expect_same("last place among " + what, got, expected);
  return seen;
}

void check_all(int n, int blocks, int block) {
  const int drawn = checker::random_values<int>(1, 0, std::max(n - 1, 0))[0];
  check(ints(n, 7, [](int) { return true; }), 7, blocks, block);
  check(ints(n, 0, [](int) { return false; }), 0, blocks, block);
  check(ints(n, -1, [](int i) { return i == 0; }), -1, blocks, block);
  check(ints(n, INT_MIN, [&](int i) { return i == n - 1; }), INT_MIN, blocks, block);
  check(ints(n, INT_MAX, [&](int i) { return i <= drawn; }), INT_MAX, blocks, block);
}

} // namespace

TEST_CASE("every size, in any grid") {
  checker::every_size(64, {1, 32, 100, 256}, [](int n, int block) { check_all(n, 2, block); });
}

TEST_CASE("more threads than pairs, and a single one") {
  for (int n : {1, 2, 3, 65}) {
    check_all(n, 2, 64);
    check_all(n, 1, 1);
  }
}

TEST_CASE("neighbouring lanes read neighbouring pairs") {
  const int n = 8192;
  const auto seen = check(ints(n, 0, [](int) { return false; }), 0, 4, 64);
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      4.0,
      "uncoalesced",
      "32 neighbouring ints lie in 4 sectors of 32 bytes, and 32 neighbouring pairs in 8. Here the "
      "lanes of a warp read with gaps between them");
  checker::expect_at_most("reads_of_each_int",
                          static_cast<double>(loads.bytes) / (4.0 * n),
                          1.0,
                          "read_again",
                          "ints are read by several threads. After a round, all threads of the "
                          "grid go ahead together: by how much?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  checker::expect_at_most("global_load.requests",
                          static_cast<double>(loads.requests),
                          n / 64.0,
                          "one_int_each",
                          "8192 ints are 4096 pairs, and a warp loads 32 pairs by one request. "
                          "Here each lane asks for one int at a time");
}

TEST_CASE("who has found a place reads no further") {
  const int n = 8192, blocks = 2, block = 32, threads = blocks * block; // 64 rounds by pairs
  const auto seen =
      check(ints(n, 7, [&](int i) { return i >= n - 16 * threads; }), 7, blocks, block);
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::expect_at_most("loads_to_find",
                          static_cast<double>(loads.lanes) / threads,
                          8.0, // several, and wider ones, may be in flight
                          "reads_on",
                          "the last pairs of each thread hold `wanted`, and it reads all others "
                          "all the same. Who begins at the end is done at the first place");
}
