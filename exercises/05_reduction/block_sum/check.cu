// Checks block_sum.cu: right for every size and every block, with one barrier per round.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void block_sum(const unsigned *in, int n, unsigned *out);

namespace {

/// Of `threads` partial sums, in rounds after which half of them are left, rounded down: whether element i gets into the
/// sum. Of an odd number the last one is lost if the front half is as small, and else the one in the middle.
std::vector<bool> added_in_rounds(int threads, bool front_rounded_up) {
  std::vector<int> ends_at(threads);
  for (int i = 0; i < threads; ++i)
    ends_at[i] = i;
  for (int left = threads; left > 1; left /= 2) {
    const int front = (left + front_rounded_up) / 2;
    for (int &place : ends_at)
      if (place >= front && place < std::min(2 * front, left))
        place -= front;
  }
  std::vector<bool> added;
  for (int place : ends_at)
    added.push_back(place == 0);
  return added;
}

/// The blocks' sums if only those elements counted for which `counts(i)` holds.
template <class Counts>
std::vector<unsigned> sums_of(const std::vector<unsigned> &h_in, int block, Counts counts) {
  const int n = static_cast<int>(h_in.size());
  std::vector<unsigned> sums(checker::enough_blocks(n, block));
  for (int i = 0; i < n; ++i)
    if (counts(i))
      sums[i / block] += h_in[i];
  return sums;
}

/// Names elements of the first block, a whole one, that are added nowhere or more than once: "of the 96 elements of a block
/// 32 are added nowhere (2, 5, 8, 11, …)". Says nothing if that does not make the wrong sum.
void diagnose_not_each_once(const std::string &what,
                            const std::vector<unsigned> &h_in,
                            int block,
                            unsigned wrong_sum) {
  constexpr int digits = 8; // of a sum in base 16: each counts an element
  unsigned made = 0;
  std::vector<std::string> none, several;
  for (int first = 0; first < block; first += digits) {
    std::vector<unsigned> numbers(block);
    const int end = std::min(first + digits, block);
    for (int i = first; i < end; ++i)
      numbers[i] = 1u << 4 * (i - first);
    const lab::DeviceBuffer<unsigned> d_numbers(numbers);
    const auto d_sum = checker::poisoned<unsigned>(1);
    block_sum<<<1, block>>>(d_numbers.data(), block, d_sum.data());
    const unsigned sum = d_sum.at(0);
    for (int i = first; i < end; ++i) {
      const unsigned times = sum >> 4 * (i - first) & 15;
      made += times * h_in[i];
      if (times != 1)
        (times == 0 ? none : several).push_back(std::to_string(i));
    }
  }
  const auto told = [](const std::vector<std::string> &places, const std::string &how) {
    std::string text = std::to_string(places.size()) + (places.size() == 1 ? " is" : " are") +
                       " added " + how + " (";
    for (std::size_t i = 0; i < std::min<std::size_t>(places.size(), 4); ++i)
      text += (i > 0 ? ", " : "") + places[i];
    return text + (places.size() > 4 ? ", …)" : ")");
  };
  const bool of_these = made == wrong_sum && none.size() < static_cast<std::size_t>(block);
  checker::diagnose("not_each_once",
                    of_these && none.size() + several.size() > 0,
                    what + ": of the " + std::to_string(block) + " elements of a block " +
                        (none.empty() ? "" : told(none, "nowhere")) +
                        (none.empty() || several.empty() ? "" : ", and ") +
                        (several.empty() ? "" : told(several, "more than once")));
}

std::optional<emu::Observation> check(int n, int block) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const std::string what =
      checker::counted(n, "element") + " in blocks of " + std::to_string(block);
  const auto expected = sums_of(h_in, block, [](int) { return true; });
  checker::perhaps(
      "Both are in the same round, in which nobody who adds may be somebody's partner. Of "
      "an odd number of them the one in the middle does neither: it waits for the next "
      "round",
      "shared_race",
      "in the same round");
  const auto d_out = checker::poisoned<unsigned>(expected.size());
  const auto seen = checker::launch(
      what, [&] { block_sum<<<expected.size(), block>>>(d_in.data(), n, d_out.data()); });
  const auto got = d_out.download();
  const auto are_instead = [&](const std::vector<unsigned> &wrong) {
    return got != expected && got == wrong;
  };
  checker::diagnose(
      "last_round_missing",
      block % 64 == 0 && are_instead(sums_of(h_in, block, [](int i) { return i % 2 == 0; })),
      "every second element is missing: the last round, of two numbers, was left out");
  for (const bool rounded_up : {false, true}) {
    const auto added = added_in_rounds(block, rounded_up);
    checker::diagnose("odd_one_lost",
                      are_instead(sums_of(h_in, block, [&](int i) { return added[i % block]; })),
                      what + ": a number is missing wherever an odd number of them was left. " +
                          (rounded_up ? "Of 3 there are 2 left: the one in the middle has to stay"
                                      : "Half of 3 is 1, and then the third one has no partner: it "
                                        "has to stay"));
  }
  std::vector<unsigned> untested(expected.size());
  for (std::size_t of_block = 0; of_block < untested.size(); ++of_block) {
    std::vector<unsigned> data(2 * block);
    for (int tid = 0; tid < block; ++tid)
      if (const auto i = of_block * block + tid; i < h_in.size())
        data[tid] = h_in[i];
    for (int left = block; left > 1; left = (left + 1) / 2)
      for (int tid = 0; tid < (left + 1) / 2; ++tid)
        data[tid] += data[tid + (left + 1) / 2];
    untested[of_block] = data[0];
  }
  checker::diagnose("added_again",
                    are_instead(untested),
                    what + ": where an odd number of them is left, the one without a partner "
                           "takes in what lies behind "
                           "the last one, and was added before");
  if (n >= block && got[0] != expected[0])
    diagnose_not_each_once(what, h_in, block, got[0]);
  checker::expect_same("sums of " + what, got, expected);
  return seen;
}

/// Balls fall through rows of pins, to the left or to the right at each: a block is a ball.
void galton_board() {
  constexpr int pins = 96, balls = 250, cols = 37, rows = 28;
  const auto h_in = checker::random_values<unsigned>(balls * pins, 0u, 1u); // 1: to the right
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(balls);
  block_sum<<<balls, pins>>>(d_in.data(), balls * pins, d_out.data());
  std::vector<int> fallen(pins + 1);
  for (const unsigned right : d_out.download())
    ++fallen[std::min<unsigned>(right, pins)];
  std::vector<bool> cells;
  for (int row = rows; row-- > 0;)
    for (int col = 0; col < 2 * cols; ++col)
      cells.push_back(fallen[(pins - cols + 1) / 2 + col / 2] > row);
  checker::note("250 balls fall through 96 rows of pins, to the left or to the right at each. A "
                "block of yours is a ball, and its sum the box where it lies at the end:" +
                checker::picture(cells, 2 * cols));
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 96, 352, 992, 1024}, check);
  checker::in_drawn_orders([] { check(190, 96); });
}

TEST_CASE("one barrier per round") {
  const auto seen = check(2048, 1024);
  if (!seen)
    return;
  checker::expect_at_most(
      "global_loads_per_thread",
      checker::accesses_per_thread(*seen, emu::Access::global_load),
      2,
      "read_again",
      "the sums are right, but several threads read each element from global memory. A block reads "
      "it once, and hands on what it has added up");
  checker::expect_at_most("barriers_per_block",
                          checker::barriers_per_block(*seen),
                          11,
                          "too_many_barriers",
                          "1024 elements need 10 rounds: a barrier before the first and one after "
                          "each are enough");
  checker::record("shared_load.wavefronts_per_request",
                  checker::total(*seen, emu::Access::shared_load).wavefronts_per_request());
  checker::expect_at_most(
      "shared_loads_per_thread",
      checker::accesses_per_thread(*seen, emu::Access::shared_load),
      40,
      "too_many_loads",
      "two numbers in each of 10 rounds are the most that a thread has to load");
  const auto barriers = std::lround(checker::barriers_per_block(*seen));
  checker::note("Your record: 1024 numbers with " + checker::counted(barriers, "barrier") +
                (barriers > 5 ? ". If in each round eight become one, by one thread, 5 are enough."
                 : barriers == 5 ? ". Halving takes 11; can you do it with 4?"
                 : barriers == 4 ? ". Halving takes 11; and 3 would be the record."
                 : barriers == 3 ? ". That is the record; halving takes 11."
                                 : ". Halving takes 11."));
  // In the last rounds few lanes and few warps are left.
  checker::expect_lanes_or_shuffles(*seen,
                                    emu::Access::shared_load,
                                    4.0,
                                    0.05,
                                    checker::total(*seen, emu::Access::shared_atomic).lanes >= 1024
                                        ? "Atomics that meet in one word take turns, one number "
                                          "after the other. In rounds threads "
                                          "load what others have added up, and add side by side"
                                        : "");
}

TEST_CASE("a block of 96 threads") {
  for (const int block : {992, 352, 128, 96}) { // all are seen to share it out, too
    const int blocks = block == 96 ? 97 : 2; // and with more blocks than threads
    const auto seen = check(blocks * block + 1, block);
    if (!seen)
      break;
    checker::expect_at_most(
        "shared_loads_per_warp",
        checker::requests_per_warp(*seen, emu::Access::shared_load),
        2.0 * std::bit_width(static_cast<unsigned>(block - 1)) + 4, // two in each round of halving
        "one_thread_adds",
        "blocks of " + std::to_string(block) +
            ": the sums are right, but few threads load nearly all that is added. In each round "
            "all that are left share it out");
    checker::record("barriers_of_96_threads", checker::barriers_per_block(*seen));
  }
  checker::unless_failed_before();
  checker::unobserved(galton_board);
}
