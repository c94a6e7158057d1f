// Checks once_over.cu: who is elected by records of any size, the votes of each round, and what crosses the link for them.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <array>

int elect(const unsigned *records, int count, int words, unsigned *room, unsigned *votes);

namespace {

constexpr int candidates = 8;
using Round = std::array<unsigned, candidates>;

struct Election {
  std::vector<Round> rounds;
  int elected = -1;
};

Election held(const std::vector<unsigned> &ballots) {
  Election election;
  unsigned out = 0;
  for (int left = candidates; left > 1 && !ballots.empty(); --left) {
    Round votes{};
    for (unsigned ballot : ballots) {
      while (out >> ballot % candidates & 1)
        ballot >>= 4;
      ++votes[ballot % candidates];
    }
    election.rounds.push_back(votes);
    const auto most = std::max_element(votes.begin(), votes.end());
    election.elected = static_cast<int>(most - votes.begin());
    if (*most > ballots.size() / 2)
      return election;
    int fewest = -1;
    for (int c = 0; c < candidates; ++c)
      if (!(out >> c & 1) && (fewest < 0 || votes[c] < votes[fewest]))
        fewest = c;
    out |= 1u << fewest;
  }
  while (!ballots.empty() && out >> election.elected & 1)
    election.elected = (election.elected + 1) % candidates;
  return election;
}

/// Voters and candidates stand somewhere along a line, from 0 to 98, and a voter wishes for who is near.
std::vector<unsigned> drawn_ballots(int count) {
  const auto wants = checker::random_values<int>(2 * static_cast<std::size_t>(count), 0, 49);
  const auto at = checker::random_values<int>(candidates, 0, 98);
  std::vector<unsigned> ballots;
  for (int i = 0; i < count; ++i) {
    std::array<unsigned, candidates> wishes;
    for (unsigned c = 0; c < candidates; ++c)
      wishes[c] = 8 * static_cast<unsigned>(std::abs(wants[2 * i] + wants[2 * i + 1] - at[c])) + c;
    std::sort(wishes.begin(), wishes.end());
    unsigned ballot = 0;
    for (int wish = candidates - 1; wish >= 0; --wish)
      ballot = ballot << 4 | wishes[wish] % 8;
    ballots.push_back(ballot);
  }
  return ballots;
}

struct Checked {
  std::optional<emu::Observation> seen;
  Election election;
  int rounds; // that were held
};

/// Each ballot has come from the records once, and from `room` in each round.
void expect_once(const std::string &what,
                 const emu::Observation &seen,
                 const std::vector<unsigned> &in_room,
                 int words,
                 int rounds) {
  const auto loads = checker::total(seen, emu::Access::global_load);
  const std::size_t count = in_room.size();
  checker::expect(loads.bytes >= count * sizeof(unsigned),
                  "worked_on_the_host",
                  what + ": the right one is elected, but kernels have looked at " +
                      std::to_string(loads.bytes / sizeof(unsigned)) +
                      " numbers, fewer than there are ballots: somebody else has counted");
  if (count >= 1000)
    checker::expect_lanes(seen, emu::Access::global_load, 16.0);
  // In the records ballots may share a sector, and in `room` eight do; a warp's may begin and end within one.
  const double of_records = std::min(words, 8) / 8.0 * count, of_room = count / 8.0;
  const double at_ends = count / 32 + 2;
  checker::expect_at_most(
      "sectors",
      static_cast<double>(loads.sectors),
      of_records + at_ends + rounds * (of_room + at_ends),
      "crosses_again",
      what + ": the right one is elected, but ballots cross the link more than once, for a sector "
             "each time. What has come to the device once need not come again");
  checker::expect(rounds < 2 || !std::ranges::all_of(in_room, lab::is_poison<unsigned>),
                  "crosses_again",
                  what + ": the right one is elected, and nothing was put into `room`, so the "
                         "ballots cross the link again in each round");
}

/// @param ends  no round may come behind the one that elects somebody
Checked check(const std::vector<unsigned> &ballots, int words, bool ends = false) {
  const int count = static_cast<int>(ballots.size());
  const std::size_t n = static_cast<std::size_t>(count) * words;
  auto h_records = checker::extreme_values<unsigned>(n);
  for (int i = 0; i < count; ++i)
    h_records[static_cast<std::size_t>(i) * words] = ballots[i];
  lab::PinnedBuffer<unsigned> pinned(n);
  std::ranges::copy(checker::goes_in(h_records), pinned.begin());
  unsigned *records = nullptr; // by the name that the device knows it by
  if (n > 0)
    LAB_CHECK(cudaHostGetDevicePointer(&records, pinned.data(), 0));
  const auto room = checker::poisoned<unsigned>(count);
  const auto d_votes = checker::on_device(std::vector<unsigned>(candidates * candidates));
  const Election expected = held(ballots);
  const int rounds = static_cast<int>(expected.rounds.size());

  const std::string what =
      checker::counted(count, "record") + " of " + checker::counted(words, "number");
  for (const char *of : {" of room[", " of in[", " of an allocation"})
    checker::perhaps(
        "`room` holds `count` ballots, one beside the other: whoever stores there stays "
        "below count, and whoever counts there goes in steps of 1, no longer of `words`",
        "out_of_bounds",
        of);
  int got = -2;
  auto seen = checker::observe(
      what, [&] { got = elect(records, count, words, room.data(), d_votes.data()); });
  const cudaError_t error = cudaGetLastError();
  checker::expect(error == cudaSuccess,
                  "cuda_error",
                  what + ": " + cudaGetErrorName(error) +
                      (error == cudaErrorInvalidPitchValue
                           ? ". A pitch is counted in bytes, and at least as long as a row: from "
                             "one record to the next it is words * sizeof(unsigned)"
                           : ""));
  const auto votes = d_votes.download();
  const auto votes_of = [&](int round) {
    return std::vector<unsigned>(votes.begin() + round * candidates,
                                 votes.begin() + (round + 1) * candidates);
  };
  const auto of_round = [&](int round) {
    return std::vector<unsigned>(expected.rounds[round].begin(), expected.rounds[round].end());
  };
  if (rounds > 0) {
    const std::vector<unsigned> first(h_records.begin(), h_records.begin() + count);
    Round of_neighbours{};
    for (const unsigned number : first)
      ++of_neighbours[number % candidates];
    checker::diagnose("neighbours_taken",
                      words > 1 && count > 1 &&
                          std::equal(of_neighbours.begin(), of_neighbours.end(), votes.begin()),
                      what + ": counted were the first numbers in memory, side by side, and not "
                             "the first one of each record");
    const auto in_room = room.download();
    int fetched = 0; // ballots that stand in `room`, from the first one on
    while (fetched < count && in_room[fetched] == ballots[fetched])
      ++fetched;
    checker::diagnose(
        "ballots_missing",
        fetched > 0 && fetched < count &&
            std::all_of(in_room.begin() + fetched, in_room.end(), lab::is_poison<unsigned>),
        what + ": ballots from number " + std::to_string(fetched) +
            " on were never put into `room`. Is there a thread for each ballot, or a loop over the "
            "rest?");
    for (int round = 0; round < rounds; ++round) {
      checker::diagnose("half_is_not_more",
                        round > 0 && got >= 0 && got < candidates &&
                            2 * expected.rounds[round - 1][got] == ballots.size() &&
                            votes_of(round) == std::vector<unsigned>(candidates),
                        what + ": candidate " + std::to_string(got) +
                            " has half of the votes in round " + std::to_string(round) +
                            ", and that is not more than half");
      checker::expect_same("votes of round " + std::to_string(round + 1) + ", " + what,
                           votes_of(round),
                           of_round(round));
    }
  }
  checker::expect_same("who is elected, " + what, got, expected.elected);
  if (!seen)
    return {std::move(seen), expected, rounds};
  checker::expect(n == 0 || !seen->kernels.empty(),
                  "kernel_not_launched",
                  what + ": the right one is elected, and the host has counted: no kernel was "
                         "launched");
  const auto times = *checker::timeline(checker::plain_model(1));
  const auto copied =
      std::max(checker::bytes_copied(times, "to_device"), checker::bytes_copied(times, "memory"));
  const std::uint64_t back = checker::bytes_copied(times, "to_host");
  checker::expect(back <= 512,
                  "worked_on_the_host",
                  what + ": the right one is elected, and " + std::to_string(back) +
                      " bytes have come back to the host, where a round has votes of eight "
                      "candidates: has it counted by itself?");
  checker::expect(copied <= count * sizeof(unsigned) + 512,
                  "copied_for_nothing",
                  what + ": the right one is elected, and " + std::to_string(copied) +
                      " bytes were copied, of which the ballots are " +
                      std::to_string(count * sizeof(unsigned)));
  checker::expect(
      !ends || rounds == candidates - 1 || votes_of(rounds) == std::vector<unsigned>(candidates),
      "goes_on",
      what + ": the right one is elected, and had more than half of the votes in round " +
          std::to_string(rounds) + ". What for is another round?");
  int held_rounds = candidates;
  while (held_rounds > 0 && votes_of(held_rounds - 1) == std::vector<unsigned>(candidates))
    --held_rounds;
  expect_once(what, *seen, room.download(), words, held_rounds);
  return {std::move(seen), expected, held_rounds};
}

/// The fewest ballots of which somebody has half in the first round, and is not elected: 0 and 1 have two each of four, and
/// 0 drops out before 1, as of several it is the lowest that goes.
std::vector<unsigned> halves() { return {0x76543210, 0x76543210, 0x76543201, 0x76543201}; }

} // namespace

TEST_CASE("every size") {
  for (int count : checker::sizes())
    check(drawn_ballots(count), 3);
}

TEST_CASE("half of the votes") { check(halves(), 2); }

TEST_CASE("records of one number, and of many") {
  check(drawn_ballots(1000), 1);
  check(drawn_ballots(100), 300);
}

TEST_CASE("each ballot crosses the link once") {
  constexpr int count = 2048;
  const auto [seen, election, rounds_held] = check(drawn_ballots(count), 16);
  if (!seen)
    return;
  const auto rounds = static_cast<double>(election.rounds.size());
  double most = 0; // of any launch
  std::uint64_t launches = 0;
  for (const emu::KernelReport &kernel : seen->kernels) {
    launches += kernel.launches;
    most = std::max(most, kernel.total(emu::Access::global_load).sectors_per_request());
  }
  checker::record("sectors_to_fetch", most);
  checker::expect_at_most(
      "launches",
      static_cast<double>(launches),
      rounds_held,
      "launched_twice",
      "the right one is elected, and each ballot crosses the link once, but a round has taken more "
      "than one launch. Whoever fetches a ballot has it in hand: why should another kernel look "
      "at it in the same round?");
  // Ballots of 32 records lie in 32 sectors; in `room` they lie in 4.
  double fetched = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    if (const auto loads = kernel.total(emu::Access::global_load); loads.sectors_per_request() > 8)
      fetched += static_cast<double>(loads.sectors) * 32;
  fetched += static_cast<double>(
      checker::bytes_copied(*checker::timeline(checker::plain_model(1)), "to_device"));
  const auto row = [](const std::string &way, double bytes) {
    const auto kib = std::lround(bytes / 1024);
    return "\n  " + way + std::string(std::max<long>(1, std::lround(bytes / 1024 / 10)), '#') +
           " " + std::to_string(kib) + " KiB";
  };
  checker::note("What crosses the link for 2048 records of 64 bytes, in " +
                std::to_string(election.rounds.size()) +
                " rounds:" + row("in place      ", 32.0 * rounds * count) +
                row("copied whole  ", 64.0 * count) + row("your way      ", fetched));
}

TEST_CASE("no round too many") {
  checker::unless_failed_before();
  for (const int count : {1, 3, 1000})
    check(drawn_ballots(count), 2, true);
}

TEST_CASE("more records than can be looked at, and any order") {
  checker::unless_failed_before();
  checker::unobserved([] { check(drawn_ballots(20'000), 2); });
  checker::in_drawn_orders([] { check(drawn_ballots(100), 5); });
}

TEST_CASE("an election") {
  checker::unless_failed_before();
  constexpr int count = 4000, words = 4;
  const auto first_wins = [](const Election &of) {
    return std::ranges::max(of.rounds[0]) == of.rounds[0][of.elected];
  };
  auto ballots = drawn_ballots(count);
  for (int tries = 0; tries < 20 && first_wins(held(ballots)); ++tries)
    ballots = drawn_ballots(count); // a race is worth a look if somebody comes from behind
  lab::PinnedBuffer<unsigned> pinned(count * words);
  for (int i = 0; i < count; ++i)
    pinned.data()[i * words] = ballots[i];
  unsigned *records = nullptr;
  LAB_CHECK(cudaHostGetDevicePointer(&records, pinned.data(), 0));
  const auto room = checker::poisoned<unsigned>(count);
  const auto d_votes = checker::on_device(std::vector<unsigned>(candidates * candidates));
  int elected = -1;
  checker::unobserved([&] { elected = elect(records, count, words, room.data(), d_votes.data()); });
  const auto votes = d_votes.download();
  std::string text = "\n  candidate";
  const auto cell = [](const std::string &number) {
    return std::string(7 - std::min<std::size_t>(number.size(), 7), ' ') + number;
  };
  for (int c = 0; c < candidates; ++c)
    text += cell(std::to_string(c));
  const auto first = std::max_element(votes.begin(), votes.begin() + candidates) - votes.begin();
  for (int round = 0; round < candidates; ++round) {
    const unsigned *const of_round = &votes[round * candidates];
    if (std::all_of(of_round, of_round + candidates, [](unsigned v) { return v == 0; }))
      break;
    text += "\n  round " + std::to_string(round + 1) + "  ";
    for (int c = 0; c < candidates; ++c)
      text += cell(of_round[c] > 0 ? std::to_string(of_round[c]) : ".");
  }
  checker::note(
      "4000 voters, as your kernels have counted them, and " + std::to_string(elected) +
      " is elected" +
      (elected == first ? "" : ", though " + std::to_string(first) + " was ahead at first") + ":" +
      text);
}
