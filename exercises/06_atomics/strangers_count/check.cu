// Checks strangers_count.cu: counts and the most frequent byte, call after call, without a hazard.
#include "checker/nasty.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

void count_all(const unsigned char *in,
               int n,
               unsigned *counts,
               unsigned *tickets,
               unsigned *most,
               int grid,
               int block);

namespace {

using Bytes = std::vector<unsigned char>;

std::vector<unsigned> counts_of(const Bytes &bytes, std::size_t n) {
  std::vector<unsigned> counts(256, 0);
  for (std::size_t i = 0; i < n; ++i)
    ++counts[bytes[i]];
  return counts;
}

/// One call, of `grid` blocks: its counts, the byte that it found, and how many tickets are left behind.
struct Call {
  std::vector<unsigned> counts;
  unsigned most, tickets;
};
Call count_once(const Bytes &bytes, int grid, int block) {
  const auto d_in = checker::on_device(bytes);
  const auto d_counts = checker::poisoned<unsigned>(256), d_most = checker::poisoned<unsigned>(1);
  const auto d_tickets = checker::on_device(std::vector<unsigned>{0});
  count_all(d_in.data(),
            static_cast<int>(bytes.size()),
            d_counts.data(),
            d_tickets.data(),
            d_most.data(),
            grid,
            block);
  return {d_counts.download(), d_most.at(0), d_tickets.at(0)};
}

/// Which of the five mistakes are gone, each seen alone: nothing where nobody can look on.
std::string gone_so_far() {
  Bytes even(2 * 64 * 4, 7); // a word for each of 2 * 64 threads, and nothing left over
  std::fill(even.begin() + 64 * 4, even.end(), static_cast<unsigned char>(9)); // for block 1
  const auto waits =
      lab::observe([] { count_once(Bytes(65 * 4, 7), 1, 64); }); // thread 0 goes round twice
  unsigned tickets = 0; // that are left behind
  const auto tells = lab::observe([&] { tickets = count_once(even, 2, 64).tickets; });
  if (!waits || !tells)
    return "";
  Bytes many(2 * 64 * 4 * 129, 200);
  std::fill(many.begin() + 65537, many.end(), static_cast<unsigned char>(9));
  std::vector<std::string> gone;
  checker::unobserved([&] {
    const Call compared = count_once(many, 2, 64); // says nothing if it was counted wrong
    const std::pair<bool, const char *> all[] = {
        {!waits->find("divergent_barrier") && !waits->find("exited_at_barrier") &&
             !waits->find("shared_race"),
         "waiting"},
        {count_once(Bytes(3, 7), 1, 32).counts[7] == 3, "sharing out"},
        {!tells->find("global_race"), "telling others"},
        {tickets == 0, "getting ready for the next call"},
        {compared.most == 200 && compared.counts == counts_of(many, many.size()), "comparing"}};
    for (const auto &[is_gone, what] : all)
      if (is_gone)
        gone.push_back(what);
  });
  std::string names;
  for (const std::string &name : gone)
    names += ", " + name;
  return std::to_string(gone.size()) + " of 5" + names;
}

/// Each call counts the next one of `inputs`. Returns what was seen of the last, and the byte that it found.
std::pair<std::optional<emu::Observation>, unsigned>
check(const std::vector<Bytes> &inputs, int grid, int block) {
  static const std::string gone = gone_so_far();
  std::optional<emu::Observation> seen; // of the last call
  const auto d_counts = checker::poisoned<unsigned>(256);
  const auto d_tickets = checker::on_device(std::vector<unsigned>{0});
  unsigned got = 0;
  for (std::size_t nth = 1; nth <= inputs.size(); ++nth) {
    const Bytes &h_in = inputs[nth - 1];
    const auto d_in = checker::on_device(h_in);
    const std::vector<unsigned> expected = counts_of(h_in, h_in.size());
    const auto most = static_cast<unsigned>(std::max_element(expected.begin(), expected.end()) -
                                            expected.begin());
    const std::string what = checker::elements(h_in.size(), "byte") + " in " +
                             checker::counted(grid, "block") + " of " + std::to_string(block) +
                             (inputs.size() > 1 ? ", call " + std::to_string(nth) : "");
    const std::string behind = gone.empty() ? "" : ". Gone so far: " + gone;
    const auto d_most = checker::poisoned<unsigned>(1);
    for (const char *words : {"an atomic for the other access", "set with no fence before it"})
      checker::perhaps(
          std::string(words[0] == 'a' ? "The last block is the one whose ticket is gridDim.x - 1, "
                                        "and no other. "
                                      : "") +
              "Blocks learn from the tickets that the others have counted: a __threadfence() "
              "between their additions and the ticket, and one behind the ticket",
          "global_race",
          words);
    checker::perhaps("Behind && a function is called only by threads for which what stands before "
                     "it is true, and is_last_block() has a barrier: all threads have to call it. "
                     "And none may have left before",
                     "divergent_barrier",
                     "were at the end of the kernel");
    seen = checker::launch(gone.empty() ? what : what + " (gone: " + gone + ")", [&] {
      count_all(d_in.data(),
                static_cast<int>(h_in.size()),
                d_counts.data(),
                d_tickets.data(),
                d_most.data(),
                grid,
                block);
    });
    const auto counts = d_counts.download();
    checker::diagnose("tail_dropped",
                      counts != expected && counts == counts_of(h_in, h_in.size() / 4 * 4),
                      what + ": the last " + checker::elements(h_in.size() % 4, "byte") +
                          " are not counted" + behind);
    auto twice = counts_of(h_in, h_in.size());
    for (std::size_t i = h_in.size() / 4; i < h_in.size() / 4 * 4; ++i)
      ++twice[h_in[i]];
    checker::diagnose("tail_begins_early",
                      counts != expected && counts == twice,
                      what + ": the bytes from number " + std::to_string(h_in.size() / 4) +
                          " on are counted twice, four at a time and one by one. n / 4 is how many "
                          "fours there are, and they have n / 4 * 4 bytes" +
                          behind);
    for (const auto &[times, who] :
         {std::pair(grid * block, " threads"), std::pair(grid, " blocks")}) {
      auto by_all = counts_of(h_in, h_in.size() / 4 * 4);
      for (std::size_t i = h_in.size() / 4 * 4; i < h_in.size(); ++i)
        by_all[h_in[i]] += static_cast<unsigned>(times);
      checker::diagnose("tail_by_all",
                        counts != expected && counts == by_all,
                        what + ": what is left behind the last four is counted by each of the " +
                            std::to_string(times) + who + behind);
    }
    checker::expect_same("counts of " + what, counts, expected);
    got = d_most.at(0);
    checker::diagnose("nobody_is_last",
                      got == 0xCDCDCDCDu,
                      what +
                          ": the counts are right, but nobody has said which is the largest: no "
                          "block took itself for the last one" +
                          behind);
    checker::diagnose(
        "count_cut_off",
        expected[most] > 0xFFFF && got < 256 && got != most,
        what + ": byte " + std::to_string(most) + " occurs " + std::to_string(expected[most]) +
            " times, and byte " + std::to_string(got) + ", which comes out, " +
            std::to_string(expected[got % 256]) +
            " times. As long as no byte occurs 65536 times all is right: a number has too "
            "few bits for such a count, perhaps already before it is shifted" +
            behind);
    checker::diagnose("last_of_several",
                      got > most && got < 256 && expected[got] == expected[most],
                      what +
                          ": several bytes occur most often, and the last of them comes out, "
                          "where the smallest is asked for, as if a >= stood for a >" +
                          behind);
    checker::expect_same("most frequent of " + what, got, most);
  }
  return {seen, got};
}

Bytes random_bytes(int n, int most) {
  Bytes bytes;
  for (int value : checker::random_values<int>(n, 0, most))
    bytes.push_back(static_cast<unsigned char>(value));
  return bytes;
}

/// With each letter put `by` letters further on in the alphabet, round and round.
std::string caesar(std::string text, int by) {
  for (char &letter : text)
    if (letter >= 'a' && letter <= 'z')
      letter = static_cast<char>('a' + (letter - 'a' + by) % 26);
  return text;
}

} // namespace

TEST_CASE("one block") { check({random_bytes(500, 255)}, 1, 64); }

TEST_CASE("many blocks") {
  for (int n : checker::sizes())
    check({random_bytes(n, 255)}, 4, 256);
}

TEST_CASE("blocks of other sizes") {
  for (int block : {32, 96, 47, 512})
    check({random_bytes(2000, 255)}, 3, block);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  check({random_bytes(1000, 255), random_bytes(1000, 6), random_bytes(1000, 6)}, 5, 64);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] { check({random_bytes(500, 255), random_bytes(500, 6)}, 4, 64); });
}

TEST_CASE("all threads count") {
  if (const auto seen = check({random_bytes(8192, 255)}, 2, 128).first)
    checker::record("global_atomics",
                    static_cast<double>(checker::total(*seen, emu::Access::global_atomic).lanes));
  if (const auto seen = check({random_bytes(8192, 255)}, 4, 128).first)
    checker::expect_lanes(*seen, emu::Access::shared_atomic, 20.0);
}

TEST_CASE("more than 65535 of one kind") {
  checker::unless_failed_before();
  Bytes bytes(66001, 200);
  bytes.resize(71003, 9);
  check({bytes}, 3, 256);
}

TEST_CASE("a cipher") {
  checker::unless_failed_before();
  const int by = checker::random_values<int>(1, 3, 23)[0];
  const std::string text = "whoever leaves the block last has seen the tickets of all the others, "
                           "adds nothing, and tells which letter there were most of: here, e";
  const std::string cipher = caesar(text, by);
  Bytes letters;
  std::copy_if(cipher.begin(), cipher.end(), std::back_inserter(letters), [](char letter) {
    return letter >= 'a' && letter <= 'z';
  });
  const unsigned most = check({letters}, 2, 32).second;
  checker::note("A message in Caesar's cipher: \"" + cipher + "\". Your kernel counted \"" +
                std::string(1, static_cast<char>(most)) +
                "\" most often, and in English that is e. So: \"" +
                caesar(cipher, 26 + 'e' - static_cast<int>(most)) + "\"");
}
