// Checks two_buffers.cu: any number of rounds, no race, and one barrier for two rounds.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

void choose(char *word);
__global__ void grow(const unsigned *in, int n, int rounds, unsigned *out);

namespace {

/// @param beyond     how many elements on both sides of a block grow, too
/// @param up_to_end  those past the end of `in` stay zeros
std::vector<unsigned>
grown(const std::vector<unsigned> &in, int rounds, int beyond = 0, bool up_to_end = false) {
  std::vector<unsigned> out;
  for (std::size_t first = 0; first < in.size(); first += 256) {
    std::vector<unsigned> now(258 + 2 * beyond, 0); // with a zero on both sides
    for (std::size_t i = 0; i < 256 && first + i < in.size(); ++i)
      now[beyond + i + 1] = in[first + i];
    for (int round = 0; round < rounds; ++round) {
      const auto before = now;
      for (int i = 1; i <= 256 + 2 * beyond; ++i)
        now[i] = up_to_end && first + i > in.size() ? 0 : before[i - 1] ^ before[i + 1];
    }
    for (std::size_t i = 0; i < 256 && first + i < in.size(); ++i)
      out.push_back(now[beyond + i + 1]);
  }
  return out;
}

std::optional<emu::Observation> check(int n, int rounds) {
  const auto h_in = checker::extreme_values<unsigned>(n);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  const auto expected = grown(h_in, rounds);

  const std::string what =
      checker::counted(n, "element") + ", " + checker::counted(rounds, "round");
  if (rounds == 0)
    checker::perhaps("Without a round only buffer 0 is written, and out is to be what came in. At "
                     "the end take the result from the buffer that was written last",
                     "uninitialised");
  else
    checker::perhaps("Has the thread that writes this come by yet? A barrier has to stand between "
                     "the copy and the first round, and one behind each turn; and the result lies "
                     "in the buffer that was written last",
                     "uninitialised");
  const int blocks = checker::enough_blocks(n, 256);
  auto seen =
      checker::launch(what, [&] { grow<<<blocks, 256>>>(d_in.data(), n, rounds, d_out.data()); });
  const auto got = d_out.download();
  checker::diagnose("grows_beyond",
                    got != expected && got == grown(h_in, rounds, rounds),
                    what + ": as if there were elements beyond the block that grow, too. They stay "
                           "zeros in each round: what has element 0 after two, then?");
  checker::diagnose("ends_at_n",
                    got != expected && got == grown(h_in, rounds, 0, true),
                    what + ": as if those past the last element stayed zeros. They only begin as "
                           "zeros, and grow as all others up to the end of the block: the block "
                           "has 256 elements, whatever n is");
  checker::diagnose("round_too_many",
                    rounds > 0 && got != expected && got == grown(h_in, rounds + 1),
                    what + ": this is the result of one round more. Rounds in pairs, and what "
                           "of the last one?");
  checker::diagnose("other_buffer",
                    rounds > 0 && n > 0 && got != expected && got == grown(h_in, rounds - 1),
                    what +
                        ": this is the result of one round less. Which buffer was written last?");
  checker::diagnose("rounds_in_a_byte",
                    rounds > 255 && got != expected && got == grown(h_in, rounds % 256),
                    what + ": this is the result of " + checker::counted(rounds % 256, "round") +
                        ". So many are left where they are counted in 8 bits");
  checker::diagnose("no_round",
                    rounds == 0 && got != expected,
                    what + ": without any round out is to be what came in, and what stands in the "
                           "loop is never done");
  checker::diagnose("not_shared",
                    seen && n > 0 && checker::total(*seen, emu::Access::shared_store).requests == 0,
                    what + ": nothing was stored in shared memory. An array without __shared__ is "
                           "each thread's own, and no other thread sees what is in it");
  checker::expect_same(what, got, expected);
  if (!seen || n == 0 || rounds < 2)
    return seen;
  checker::expect(checker::barriers_per_block(*seen) <= (rounds + 1) / 2 + 1,
                  "too_many_barriers",
                  what + ": each thread waits at " +
                      std::to_string(std::lround(checker::barriers_per_block(*seen))) +
                      " barriers, and " + std::to_string((rounds + 1) / 2 + 1) +
                      " are enough: one for two rounds, and one more. Before a thread waits for "
                      "others, it can take both rounds, of what they have left");
  checker::expect_at_most("loads_per_thread",
                          checker::accesses_per_thread(*seen, emu::Access::shared_load) +
                              checker::accesses_per_thread(*seen, emu::Access::global_load),
                          5 * rounds + 8,
                          "works_for_others",
                          what +
                              ": each thread loads what others need, and works out their elements "
                              "again. Two elements decide what one becomes");
  return seen;
}

/// What has become of these elements in the middle of a block.
std::vector<unsigned> from(const std::string &word, int rounds) {
  std::vector<unsigned> in(256, 0);
  for (std::size_t i = 0; i < word.size(); ++i)
    in[128 - word.size() / 2 + i] = static_cast<unsigned char>(word[i]);
  const auto d_in = checker::on_device(in);
  const auto d_out = checker::poisoned<unsigned>(256);
  grow<<<1, 256>>>(d_in.data(), 256, rounds, d_out.data());
  LAB_CHECK_LAUNCH();
  const auto got = d_out.download();
  checker::expect_same("a word, " + checker::counted(rounds, "round"), got, grown(in, rounds));
  return got;
}

} // namespace

TEST_CASE("two rounds") { check(256, 2); }

TEST_CASE("an odd number of rounds") {
  check(256, 1);
  check(256, 7);
  checker::at_large_size([] { check(256, 301); });
}

TEST_CASE("no round at all") { check(256, 0); }

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n < 4000)
      check(n, 3);
}

TEST_CASE("a barrier for two rounds") {
  const auto seen = check(1024, 8);
  if (!seen)
    return;
  checker::expect_at_most(
      "barriers_per_block",
      checker::barriers_per_block(*seen),
      5.0,
      "too_many_barriers",
      "a barrier for two of 8 rounds is enough, and at most one more: before a "
      "thread waits for others, it can take both rounds, of what they have left");
  checker::expect_lanes_or_shuffles(*seen, emu::Access::shared_store, 20.0);
}

TEST_CASE("the odd round has no barrier of its own") {
  checker::unless_failed_before();
  for (const auto &[n, rounds] : {std::pair(256, 7), {300, 3}})
    if (const auto seen = check(n, rounds))
      checker::expect_at_most(
          "barriers_of_odd_rounds",
          checker::barriers_per_block(*seen),
          rounds / 2 + 1,
          "too_many_barriers",
          checker::counted(rounds, "round") +
              ": a barrier for two rounds is enough, and one more. Behind the odd round at the end "
              "nobody reads what others have made of it");
}

TEST_CASE("a word") {
  std::string word(4096, '\0');
  choose(word.data());
  word.resize(std::min(word.find('\0'), word.size()));
  checker::expect(!word.empty() && word.size() <= 8 &&
                      std::ranges::all_of(word, [](char c) { return c > ' ' && c <= '~'; }),
                  "no_word",
                  "choose() writes a word of 1 to 8 letters, digits or signs. Yours has " +
                      checker::counted(static_cast<long long>(word.size()), "character") +
                      (word.size() > 8 ? "" : ", and not all of them are such"));
  checker::unobserved([&] {
    std::string text;
    for (int round = 0; round <= 16; ++round) {
      std::string line = (round < 10 ? "\n " : "\n") + std::to_string(round) + ' ';
      const auto got = from(word, round);
      for (int i = 128 - 24; i < 128 + 24; ++i)
        line += got[i] == 0 ? ' ' : got[i] > ' ' && got[i] <= '~' ? static_cast<char>(got[i]) : '.';
      text += line.substr(0, line.find_last_not_of(' ') + 1);
    }
    const auto got = from("1", 64);
    checker::record("ones_after_64_rounds", static_cast<double>(std::ranges::count(got, '1')));
    checker::note("What your kernel made of " + word + ", round by round:" + text);
  });
}
