// Checks take_turns.cu: the last place, wherever it is, by neighbours, in pairs, and no further than needed.
#include "checker/nasty.hpp"

#include <algorithm>
#include <array>
#include <set>

void choose(char *text, char *words);
__global__ void last_place(const int *all, int begin, int end, int wanted, int *places);

namespace {

/// Ints, of which those from begin to end are looked at.
struct Part {
  std::vector<int> all;
  int begin, end;
};

/// `before` ints, n to look at and `behind` more. `wanted` stands where is_there(place), counted from the first of the n,
/// says so, at all places outside, and nowhere else.
template <class IsThere> Part part(int before, int n, int behind, int wanted, IsThere is_there) {
  Part made{checker::extreme_values<int>(before + n + behind), before, before + n};
  for (int i = 0; i < static_cast<int>(made.all.size()); ++i)
    if (i < made.begin || i >= made.end || is_there(i - before))
      made.all[i] = wanted;
    else if (made.all[i] == wanted)
      made.all[i] = 5;
  return made;
}

/// The last place from begin on and before `end`, or -1.
int last_of(const Part &part, int wanted, int end) {
  for (int place = end - 1; place >= part.begin; --place)
    if (part.all[place] == wanted)
      return place;
  return -1;
}

std::optional<emu::Observation> check(const Part &part, int wanted, int blocks, int block) {
  const int begin = part.begin, end = part.end;
  const auto d_all = checker::on_device(part.all);
  const auto d_places = checker::poisoned<int>(static_cast<std::size_t>(blocks) * block);
  const std::string what = "places " + std::to_string(begin) + " to " + std::to_string(end - 1) +
                           " by " + checker::counted(blocks, "block") + " of " +
                           checker::counted(block, "thread");
  checker::perhaps("Pairs are counted in `all` from its front, wherever begin is: all[2 * k] and "
                   "all[2 * k + 1] are one, and all[1] and all[2] are none",
                   "misaligned");
  for (const char *kind : {"out_of_bounds", "host_pointer"})
    checker::perhaps(
        "Of the pairs, which have two ints each, the last one that ends at `end` or in "
        "front of it is number end / 2 - 1",
        kind);
  auto seen = checker::launch(what, [&] {
    last_place<<<blocks, block>>>(d_all.data(), begin, end, wanted, d_places.data());
  });
  const std::vector<int> places = d_places.download();
  const int expected = last_of(part, wanted, end);
  const int got = *std::max_element(places.begin(), places.end());
  for (std::size_t thread = 0; thread < places.size(); ++thread) {
    const int place = places[thread];
    const bool exists = 0 <= place && place < static_cast<int>(part.all.size());
    const bool within = begin <= place && place < end;
    if (place == -1 || (within && part.all[place] == wanted))
      continue; // a text for each thread would take longer than the kernel
    checker::expect(
        !lab::is_poison(place),
        "thread_without_answer",
        what + ": nothing was written for thread " + std::to_string(thread) +
            ". Each thread of the grid leaves a place, or -1, a thread without a pair, too");
    checker::expect(!exists || within,
                    "found_outside",
                    what + ": thread " + std::to_string(thread) + " leaves " +
                        std::to_string(place) +
                        ". A pair belongs to these places only as a whole: its second int, too, "
                        "stands in front of the end");
    checker::expect(false,
                    "not_a_place",
                    what + ": thread " + std::to_string(thread) + " leaves " +
                        std::to_string(place) +
                        ", where `wanted` does not stand. What does a thread leave that has found "
                        "nothing, and which of .x and .y is all[2 * k]?");
  }
  checker::diagnose("last_int_missing",
                    end % 2 == 1 && expected == end - 1 && got == last_of(part, wanted, end - 1),
                    what + ": `wanted` is the last int, and another place comes out. That int is "
                           "alone, as its partner lies behind the end: who looks at it, and is "
                           "done if he finds it?");
  checker::diagnose("front_of_pair",
                    got >= 0 && got % 2 == 0 && expected == got + 1,
                    what + ": both ints of a pair are `wanted`, and its first place comes out. "
                           "Which of .x and .y is asked for first?");
  checker::diagnose("number_of_a_pair",
                    got > 1 && got == expected / 2,
                    what + ": that is the number of the pair. Places are counted in `all`, and "
                           "pair k is places 2 * k and 2 * k + 1 there");
  checker::diagnose("not_the_last",
                    got >= 0 && got < expected,
                    what + ": `wanted` stands there, but also at " + std::to_string(expected) +
                        ". Does a thread begin at the end, and stop at the first place it finds?");
  checker::expect_same("the last of " + what, got, expected);
  return seen;
}

void check_all(int n, int blocks, int block) {
  const int drawn = checker::random_values<int>(1, 0, std::max(n - 1, 0))[0];
  const auto everywhere = [](int) { return true; };
  const auto up_to_drawn = [&](int i) { return i <= drawn; };
  check(part(0, n, 1, 7, everywhere), 7, blocks, block);
  check(part(4, n, 3, 7, everywhere), 7, blocks, block);
  check(part(2, n, 3, 0, [](int) { return false; }), 0, blocks, block);
  check(part(2, n, 1, -1, [](int i) { return i == 0; }), -1, blocks, block);
  check(part(4, n, 3, INT_MIN, [&](int i) { return i == n - 1; }), INT_MIN, blocks, block);
  check(part(0, n, 0, INT_MAX, up_to_drawn), INT_MAX, blocks, block);
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
  const int n = 8193;
  const auto seen = check(part(8, n, 8, 0, [](int) { return false; }), 0, 4, 64);
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_load,
      5.0, // one more, as those who begin with the odd one do not begin with a sector
      "uncoalesced",
      "32 neighbouring ints lie in 4 sectors of 32 bytes, and 32 neighbouring pairs in 8. Here the "
      "lanes of a warp read with gaps between them");
  checker::expect_at_most("reads_of_each_int",
                          static_cast<double>(loads.bytes) / (4.0 * n),
                          1.0,
                          "read_again",
                          loads.bytes == 4 * (n + 255)
                              ? "all 256 threads read the last int, which has no partner. One of "
                                "them is enough"
                              : "ints are read by several threads. After a round, all threads of "
                                "the grid go ahead together: by how much?");
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0, {}, 0.8);
  checker::expect_at_most("global_load.requests",
                          static_cast<double>(loads.requests),
                          (n - 1) / 64.0 + 2, // one more, where the odd one takes a pair's turn
                          "one_int_each",
                          "8193 ints are 4096 pairs and one more, and a warp loads 32 pairs by one "
                          "request. Here each lane asks for one int at a time");
}

TEST_CASE("who has found a place reads no further") {
  const int n = 8192, blocks = 2, block = 64, threads = blocks * block; // 32 rounds by pairs
  const auto seen =
      check(part(8, n, 8, 7, [&](int i) { return i >= n - 16 * threads; }), 7, blocks, block);
  if (!seen)
    return;
  const emu::AccessCounts loads = checker::total(*seen, emu::Access::global_load);
  checker::record("rounds_of_8192_ints", n / 2 / threads);
  checker::expect_at_most("loads_to_find",
                          static_cast<double>(loads.lanes) / threads,
                          8.0, // several, and wider ones, may be in flight
                          "reads_on",
                          "the last pairs of each thread hold `wanted`, and it reads all others "
                          "all the same. Who begins at the end is done at the first place");
}

TEST_CASE("a search that leaps") {
  checker::unless_failed_before();
  constexpr int most = 220, width = 74;
  std::vector<char> chosen_text(1024), chosen_words(1024);
  choose(chosen_text.data(), chosen_words.data());
  const auto letters = [](const std::vector<char> &chosen, int at_most) {
    std::string all(chosen.begin(), std::find(chosen.begin(), chosen.end(), '\0'));
    all.resize(std::min<std::size_t>(all.size(), at_most));
    for (char &letter : all)
      letter = ' ' <= letter && letter <= '~' ? letter : '?'; // what has one byte, and one column
    return all;
  };
  const std::string text = letters(chosen_text, most), words = letters(chosen_words, most);
  const int last = static_cast<int>(words.size()) - 1;
  if (last < 0 || words.size() > text.size()) {
    checker::note("There is nothing to be found in your text: see choose().");
    return;
  }
  checker::unobserved([&] {
    const auto d_words = checker::on_device(std::vector<int>(words.begin(), words.end()));
    std::array<int, 128> last_in_words{};
    for (unsigned char letter : std::set<char>(text.begin(), text.end())) {
      const auto d_places = checker::poisoned<int>(32); // of all words but for the last letter
      last_place<<<1, 32>>>(d_words.data(), 0, last, letter, d_places.data());
      const std::vector<int> places = d_places.download();
      last_in_words[letter] =
          std::clamp(*std::max_element(places.begin(), places.end()), -1, last - 1);
    }
    std::string marks(text.size(), ' ');
    std::size_t leaps = 0, front = 0;
    bool found = false;
    while (!found && front + last < text.size()) {
      int letter = last;
      do
        marks[front + letter] = '^';
      while (text[front + letter] == words[letter] && --letter >= 0);
      found = letter < 0;
      if (!found) {
        front += last - last_in_words[static_cast<unsigned char>(text[front + last])];
        ++leaps;
      }
    }
    std::string lines;
    for (std::size_t at = 0, end; at < text.size(); at = end) {
      const std::size_t space = text.rfind(' ', at + width - 1);
      end = at + width < text.size() && space != std::string::npos && space > at ? space + 1
                                                                                 : at + width;
      const std::string line = marks.substr(at, end - at);
      lines +=
          "\n" + text.substr(at, end - at) + "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
    }
    checker::note(
        "Boyer and Moore's search for \"" + words +
        "\" lays them under the text and compares from their last letter on (^). Where the words "
        "have "
        "the text's letter last your kernel says, and the search leaps on until the two meet. " +
        (found ? "Found" : "Not there, as it knows") + " after " +
        checker::counted(static_cast<long long>(leaps), "leap") +
        (found ? " in place of " + std::to_string(front) + " steps" : std::string()) +
        ", with a look at " + std::to_string(std::count(marks.begin(), marks.end(), '^')) + " of " +
        std::to_string(text.size()) + " letters. Try a text of your own, in choose():" + lines);
  });
}
