// Checks own_bins.cu: the two smallest of each kind, for any launch, and how often global memory is asked.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void two_smallest_of_each(const unsigned *in, int n, unsigned *smallest);

namespace {

constexpr int kinds = 33;
using Words = std::vector<unsigned>;

void offer(Words &to, int kind, unsigned number) {
  unsigned &first = to[2 * kind], &second = to[2 * kind + 1];
  second = std::min(second, std::max(first, number));
  first = std::min(first, number);
}

/// What the bins of each block should hold, two words for each kind.
std::vector<Words> bins_of_blocks(const Words &in, int grid, int block) {
  std::vector<Words> bins(grid, Words(2 * kinds, ~0u));
  for (int i = 0; i < static_cast<int>(in.size()); ++i)
    offer(bins[i / block % grid], std::countl_zero(in[i]), in[i]);
  return bins;
}

/// The two smallest of each kind, if a number that is there already changes nothing.
Words without_equals(Words in) {
  std::ranges::sort(in);
  in.erase(std::unique(in.begin(), in.end()), in.end());
  Words smallest(2 * kinds, ~0u);
  for (unsigned number : in)
    offer(smallest, std::countl_zero(number), number);
  return smallest;
}

/// Whether a thread for each word, or for each bin, has handed over all that a smaller block has threads for.
void expect_all_bins(const std::string &what, const Words &got, const Words &expected, int block) {
  const int right =
      static_cast<int>(std::ranges::mismatch(got, expected).in1 - got.begin()); // from the front
  for (const bool whole_bins : {false, true}) {
    const int first = whole_bins ? 2 * block : block;
    checker::diagnose(
        "bins_left_out",
        first < 2 * kinds && got != expected && right >= first - 1 &&
            std::all_of(got.begin() + first, got.end(), [](unsigned word) { return word == ~0u; }),
        what + ": the " + (whole_bins ? "bins" : "words of bins") + " from " +
            std::to_string(block) + " on were not handed over. With fewer threads than " +
            (whole_bins ? "bins" : "words") + " a thread has several of them");
  }
}

std::optional<emu::Observation> check(const Words &h_in, int grid, int block) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_smallest = checker::on_device(Words(2 * kinds, ~0u));
  Words expected(2 * kinds, ~0u), by_place = expected, by_first = expected, unequal = expected;
  for (unsigned value : h_in)
    offer(expected, std::countl_zero(value), value);
  const auto bins = bins_of_blocks(h_in, grid, block);
  for (const Words &of_block : bins)
    for (int word = 0; word < 2 * kinds; ++word) {
      by_place[word] = std::min(by_place[word], of_block[word]);
      if (word % 2 == 0)
        offer(by_first, word / 2, of_block[word]);
      if (word % 2 == 0 || of_block[word] != of_block[word - 1])
        offer(unequal, word / 2, of_block[word]);
    }
  const std::string what = checker::counted(n, "number") + " by " +
                           checker::counted(grid, "block") + " of " + std::to_string(block);
  checker::perhaps("All blocks hand over to the same 66 elements. Who looks there and stores "
                   "behind that, or is atomic for the threads of its block only, is overtaken in "
                   "between: atomicMin() does both in one step, for all blocks",
                   "global_race");
  checker::perhaps(
      "Others hand over their bins to `smallest` meanwhile, so that nobody reads there. A "
      "block's own bins begin with ~0u, and atomicMin() compares and stores in one step",
      "global_race",
      "one thread reads smallest[");
  checker::perhaps(
      "Two times all threads of the block have to wait: between setting the bins and "
      "offering numbers, and between offering and handing over. And a look with a store "
      "behind it is two steps, where atomicMin() is one",
      "shared_race");
  auto seen = checker::launch(
      what, [&] { two_smallest_of_each<<<grid, block>>>(d_in.data(), n, d_smallest.data()); });
  const auto got = d_smallest.download();
  checker::diagnose("zero_stays",
                    got != expected && std::count(got.begin(), got.end(), 0u) >= 2 * kinds - 2,
                    what + ": 0 came out for kinds that it is not of. A bin begins with what loses "
                           "against every number: to add, that is 0");
  expect_all_bins(what, got, expected, block);
  int of_other_kind = 0; // the first word with a number of another kind
  while (of_other_kind < 2 * kinds &&
         (got[of_other_kind] == ~0u || std::countl_zero(got[of_other_kind]) == of_other_kind / 2))
    ++of_other_kind;
  checker::diagnose("other_kind",
                    of_other_kind < 2 * kinds && got[of_other_kind] != 0,
                    what + ": element " + std::to_string(of_other_kind) + " is for kind " +
                        std::to_string(of_other_kind / 2) + ", and the number there is of kind " +
                        std::to_string(std::countl_zero(got[of_other_kind % (2 * kinds)])) +
                        ". Kind k has the elements 2 * k and 2 * k + 1, of every array");
  bool twice = got != expected;
  for (int word = 0; word < 2 * kinds && twice; word += 2)
    twice = got[word] == expected[word] && got[word + 1] == got[word];
  checker::diagnose(
      "handed_over_often",
      twice,
      what + ": both numbers of each kind are its smallest one, which was offered a "
             "second time. Who hands over a number that another thread hands over, too?");
  checker::diagnose("equal_once",
                    got == without_equals(h_in),
                    what + ": of equal numbers only one counts. Who offers the smallest one that "
                           "is there already brings the second of the two");
  checker::diagnose("equal_once",
                    got == unequal,
                    what + ": where a block's two smallest are equal, only one of them was handed "
                           "over. Equal numbers count each");
  checker::diagnose("loser_lost",
                    got == by_place,
                    what +
                        ": the second number of each kind is the least of the blocks' second ones. "
                        "Where two blocks meet, the larger of their two smallest may be less than "
                        "that: it goes on to the second place");
  checker::diagnose(
      "second_kept",
      got == by_first,
      what + ": what came out are the two smallest of the blocks' first numbers. A block's "
             "second one may be less than another's first");
  bool by_a_block = true; // also where it has no number of the kind
  for (int word = 0; word < 2 * kinds && by_a_block; ++word)
    by_a_block = std::ranges::any_of(
        bins, [&](const Words &of_block) { return of_block[word] == got[word]; });
  checker::diagnose("last_block_wins",
                    by_a_block && got != expected,
                    what +
                        ": what came out are the numbers of a block, and not of all blocks: who "
                        "hands over puts its numbers in the place of another block's, smaller or "
                        "not");
  checker::expect_same("smallest numbers of " + what, got, expected);
  return seen;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {64, 32, 47, 96, 512}, [](int n, int block) {
    check(checker::extreme_values<unsigned>(n), 3, block);
  });
}

TEST_CASE("every number twice") {
  auto numbers = checker::extreme_values<unsigned>(250);
  const auto once = numbers;
  numbers.insert(numbers.end(), once.begin(), once.end());
  check(numbers, 3, 64);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check(checker::extreme_values<unsigned>(500), 4, 64); });
}

TEST_CASE("global memory is asked four times for each bin of a block") {
  const auto seen = check(checker::extreme_values<unsigned>(4096), 4, 128);
  if (!seen)
    return;
  checker::record("numbers_from_which_bins_pay", 4 * kinds / 2 + 1);
  const double per_block =
      static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes) / 4.0;
  checker::expect_at_most("global_atomics_per_block",
                          per_block,
                          4 * kinds,
                          "too_many_global_atomics",
                          "a block has 66 numbers to hand over, each of them once and by two "
                          "operations. What each number that goes in costs should stay in shared "
                          "memory");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}

TEST_CASE("a staircase") {
  constexpr int bits = 32;
  checker::unless_failed_before();
  auto numbers = checker::random_values<unsigned>(1000, 0u, ~0u);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] >>= i % bits;
  checker::unobserved([&] {
    const auto d_in = checker::on_device(numbers);
    const auto d_smallest = checker::on_device(Words(2 * kinds, ~0u));
    two_smallest_of_each<<<4, 64>>>(
        d_in.data(), static_cast<int>(numbers.size()), d_smallest.data());
    const auto got = d_smallest.download();
    std::vector<bool> cells;
    for (int kind = 0; kind < bits; ++kind)
      for (int col = 0; col < 2 * bits + 4; ++col) { // the smallest, a gap, the second
        const int bit = col < bits ? bits - 1 - col : 2 * bits + 3 - col;
        const unsigned word = got[2 * kind + (col >= bits)];
        cells.push_back(word != ~0u && bit >= 0 && bit < bits && (word >> bit & 1) != 0);
      }
    checker::note(
        "Of 1000 numbers your blocks have kept these, a row for each kind with the bits of "
        "the smallest and of the second. Small numbers have few bits 1 behind the first:" +
        checker::picture(cells, 2 * bits + 4));
  });
}
