// Checks race_hunt.cu: the running sums, without a race, in one array and with one barrier for each round.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void running_sum(const unsigned *in, int n, unsigned *out);

namespace {

constexpr int block = 256;

/// Running sums of so many elements side by side each.
std::vector<unsigned> within(int length, const std::vector<unsigned> &in) {
  std::vector<unsigned> sums(in);
  for (std::size_t i = 1; i < sums.size(); ++i)
    sums[i] += i % length == 0 ? 0 : sums[i - 1];
  return sums;
}

/// What somebody may have done otherwise.
struct Slip {
  int from = 0; ///< the first element of each back half that adds
  int without = 0; ///< the stride whose round is missing
  bool down = false, stores = false, last_alone = false, all_but_first = false;
};

/// What 8 rounds leave in which the back half of each 2 * stride elements adds those that number() names.
template <class Number>
std::vector<unsigned> in_rounds(const std::vector<unsigned> &in, const Number &number, Slip slip) {
  std::vector<unsigned> sums(in);
  for (int round = 1; round < block; round *= 2) {
    const int stride = slip.down ? block / 2 / round : round;
    const std::vector<unsigned> before(sums);
    for (int i = 0; i < static_cast<int>(sums.size()); ++i)
      if (stride != slip.without &&
          (slip.all_but_first ? i % (2 * stride) > 0 : i / stride % 2 == 1) &&
          i % stride >= slip.from && (!slip.last_alone || i % stride == stride - 1))
        sums[i] = (slip.stores ? 0 : before[i]) + before[number(i, stride)];
  }
  return sums;
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const std::string what = checker::counted(n, "element");
  checker::perhaps("Has the thread that writes this come by yet? The first round reads what others "
                   "have loaded: all have to wait in between",
                   "uninitialised");
  checker::perhaps("Nothing stands before a block's first number, and it never changes: "
                   "look at the test of who adds",
                   "out_of_bounds");
  checker::perhaps(
      "Both are in the same round, and no barrier around the line parts its reading from its "
      "writing. Add a number that nobody changes in this round: of each 2 * stride numbers one of "
      "the front half's, which do not add",
      "shared_race",
      "in the same round");
  const int blocks = checker::enough_blocks(n, block);
  auto seen =
      checker::launch(what, [&] { running_sum<<<blocks, block>>>(d_in.data(), n, d_out.data()); });
  const auto got = d_out.download(), expected = within(block, h_in);
  const auto looks_like = [&](const std::vector<unsigned> &those) {
    return got != expected && got == those;
  };
  const auto before_the_half = [](int i, int stride) { return i / stride * stride - 1; };
  const auto slips = [&](Slip slip) {
    return got != expected && got == in_rounds(h_in, before_the_half, slip);
  };
  checker::diagnose(
      "one_round_short",
      looks_like(within(block / 2, h_in)),
      what + ": the block's front half is right, and the back half has running sums of "
             "its own: the round in which it adds what the front half comes to is missing");
  for (int stride = 1; stride < block / 2; stride *= 2)
    checker::diagnose("one_round_short",
                      slips({.without = stride}),
                      what + ": so it is without the round of stride " + std::to_string(stride) +
                          ". In the first round of all, pairs have their running sums: stride 1");
  checker::diagnose("rounds_backwards",
                    slips({.down = true}),
                    what + ": all is right but the order of the rounds: pairs have to have their "
                           "running sums first, then fours, then eights. So the stride grows");
  checker::diagnose("own_number_lost",
                    slips({.stores = true}),
                    what + ": who adds, and which number, is right. But it is stored in the place "
                           "of the thread's own number, where it has to be added to it");
  checker::diagnose(
      "others_add",
      looks_like(in_rounds(h_in,
                           [](int i, int stride) { return i / (2 * stride) * (2 * stride); },
                           {.all_but_first = true})),
      what + ": of each 2 * stride numbers all but the first add that one. The front "
             "half has its sums already: only the back half adds, the front's last "
             "number, which is the sum of all of them");
  checker::diagnose("others_add",
                    slips({.last_alone = true}),
                    what + ": the number that is added is the right one, but only the last of each "
                           "back half adds it. All of a back half do");
  checker::diagnose(
      "own_distance",
      looks_like(in_rounds(h_in, [](int i, int stride) { return i - stride; }, {})),
      what + ": each thread that adds takes the number `stride` places before its own. All of a "
             "back half add the same number");
  checker::diagnose(
      "first_of_the_front",
      looks_like(
          in_rounds(h_in, [](int i, int stride) { return i / stride * stride - stride; }, {})),
      what + ": each back half adds the first number of its front half. Which of the front half's "
             "numbers is the sum of all of them?");
  checker::diagnose("back_half_begins_late",
                    slips({.from = 1}),
                    what + ": the number that is added is the right one, but the first of each "
                           "back half adds nothing. Numbers 1, 3, 5 and 7 add with "
                           "stride 1: does the test of who adds begin one too late?");
  checker::expect_same("running sums of " + what, got, expected);
  if (seen)
    checker::expect_at_most(
        "barriers_per_block",
        checker::barriers_per_block(*seen),
        9.0,
        "too_many_barriers",
        what + ": one barrier after the load and one in each of 8 rounds are enough, if nobody "
               "writes what others read in the same round");
  return seen;
}

} // namespace

TEST_CASE("one full block") { check(block); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("one array") {
  cudaFuncAttributes attributes{};
  LAB_CHECK(cudaFuncGetAttributes(&attributes, running_sum));
  checker::expect_at_most(
      "bytes_of_shared_memory",
      static_cast<double>(attributes.sharedSizeBytes),
      1024.0 +
          256.0, // an array, and a few words for who likes to pad it, or waits at a cuda::barrier
      "second_array",
      "the sums are right, and one array of 256 numbers is enough, 1024 bytes: if "
      "those who add take a number that nobody writes in this round, nobody needs a copy");
}

TEST_CASE("one barrier per round") {
  const auto seen = check(9 * block);
  if (!seen)
    return;
  checker::record("additions_of_8_rounds", 8 * block / 2);
  checker::expect_at_most(
      "loads_per_thread",
      checker::accesses_per_thread(*seen, emu::Access::shared_load) +
          checker::accesses_per_thread(*seen, emu::Access::shared_atomic) +
          checker::accesses_per_thread(*seen, emu::Access::global_load),
      3 * 8, // its own number, the one that it adds, and one more for who likes to look twice
      "too_many_loads",
      "the rounds were to stay: in each of 8 a thread adds one number at the most. If it adds all "
      "up to its "
      "own, the last one makes 255 additions one after the other");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_store, 16.0);
}

TEST_CASE("pulses of a star") {
  constexpr int pulses = 7, cols = 74, rows = 34, apart = 4;
  checker::unless_failed_before();
  // A block for each pulse: how far it goes up or down from place to place, modulo 2^32.
  std::vector<unsigned> h_in(pulses * block);
  const auto drawn = checker::random_values<float>(pulses * cols, 0, 1);
  for (int i = 0, before = 0; i < pulses * cols; ++i) {
    const int col = i % cols;
    int height = 0;
    if (col > 0 && col < cols - 1) {
      const float aside = (static_cast<float>(col) - 36.5f) / 12, // from the middle
          smooth = (drawn[i - 1] + drawn[i] + drawn[i + 1]) / 3;
      height =
          static_cast<int>(std::exp(-aside * aside) * (14 * smooth - 1) + 0.52f * drawn[i] + 0.5f);
    }
    h_in[i / cols * block + col] = static_cast<unsigned>(height - before);
    before = height;
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(h_in.size());
    running_sum<<<pulses, block>>>(d_in.data(), pulses * block, d_out.data());
    const auto got = d_out.download();
    std::vector<bool> cells(rows * cols);
    for (int pulse = 0; pulse < pulses; ++pulse) // those in front hide those behind
      for (int col = 0; col < cols; ++col) {
        const unsigned *heights = &got[pulse * block];
        const int height = static_cast<int>(heights[col]),
                  before = col > 0 ? static_cast<int>(heights[col - 1]) : height;
        const int bottom = rows - 1 - (pulses - 1 - pulse) * apart;
        for (int up = 0; up <= std::max(height, before) && up <= bottom; ++up)
          cells[(bottom - up) * cols + col] =
              up == height || (up > std::min(height, before) && up != before);
      }
    checker::note(
        "Pulses of a star, one in front of the other, as on the sleeve of a famous record. "
        "Each height is a sum of your threads' (another --seed, another star):" +
        checker::picture(cells, cols));
  });
}
