// Checks stale_borders.cu: every cell, whichever device comes late, what goes over the links, and that neither the
// host nor a rank waits for nothing.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t told;
  unsigned *cells;
};

void sweep_in_place(const Rank *rank, int ranks, int n, int sweeps);

namespace {

using Cells = std::vector<unsigned>;

void sweep_half(Cells &rod, int first) {
  for (size_t i = first; i + 1 < rod.size(); i += 2)
    rod[i] = rod[i - 1] + 2 * rod[i] + rod[i + 1];
}

Cells piece_of(const Cells &rod, int n, int rank) {
  return {rod.begin() + rank * n, rod.begin() + (rank + 1) * n + 2};
}

/// Each rank's sweeps, one behind the other, with the time cut short that what is late in the first piece takes.
std::string
sweeps_by_rank(const emu::Timeline &times, const std::vector<int> &devices, double late_us) {
  std::string text;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    std::string row;
    char sweep = '0';
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel" && bar.device == devices[r]) {
        const bool after = bar.begin_us >= late_us;
        const long at = std::lround((bar.begin_us - (after ? late_us : 0)) / 10);
        row.resize(std::max<std::size_t>(row.size(), (after ? 12 : 0) + at), ' ');
        if (after && row.size() >= 12)
          row[10] = '|';
        row += sweep++;
      }
    text += "\n  rank " + std::to_string(r) + "  " + row;
  }
  return text + "\n" + std::string(20, ' ') + "^ here the first device is there";
}

void check(int n, int ranks, int sweeps, bool late_first = false) {
  checker::unless_failed_before();
  const auto devices = checker::devices_of(ranks);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices);
  checker::name_streams(own.streams, "rank[#].stream");
  Cells rod = checker::extreme_values<unsigned>(static_cast<size_t>(n) * ranks);
  rod.insert(rod.begin(), 0);
  rod.push_back(0);
  std::vector<lab::DeviceBuffer<unsigned>> cells;
  std::vector<Rank> rank;
  for (int r = 0; r < ranks; ++r) {
    cells.push_back(checker::on_device(devices[r], piece_of(rod, n, r)));
    rank.push_back({devices[r], own.streams[r], own.events[r], cells[r].data()});
  }
  const std::string what = std::to_string(ranks) + " pieces of " + checker::elements(n, "cell") +
                           ", " + checker::counted(sweeps, "sweep") +
                           (late_first ? ", the first device comes late" : "");
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  const checker::LongCopy first_of_all(1000, late_first);
  bool free_to_go = true;
  for (const char *const unspecific :
       {"cudaEventRecord in the earlier one's", "is recorded already", "now is none of the two"})
    checker::perhaps(
        "Who gets a cell has to wait for the event of the one that sends it, recorded behind the "
        "copy of this sweep. That of the neighbour to whom it sends tells it nothing",
        "stream_race",
        unspecific);
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{rank[0].stream, late_first ? 200.0 : 0.0}});
    if (late_first && lab::on_emulator())
      first_of_all.in(rank[0].stream);
    sweep_in_place(rank.data(), ranks, n, sweeps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaSetDevice(devices[0]));
    returned.here();
    free_to_go = late.let_go() || !late_first;
    checker::wait_for(devices);
  });
  Cells expected = rod;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    sweep_half(expected, 1 + sweep % 2);
  for (int r = 0; r < ranks; ++r) {
    Cells got = cells[r].download();
    Cells right = piece_of(expected, n, r);
    const Cells piece(got.begin() + 1, got.end() - 1),
        own_right(right.begin() + 1, right.end() - 1);
    const bool inside_right =
        n > 2 * sweeps &&
        std::equal(piece.begin() + sweeps, piece.end() - sweeps, own_right.begin() + sweeps);
    const std::string whose = "piece of rank " + std::to_string(r) + ", " + what;
    checker::diagnose("stale_borders",
                      sweeps > 1 && inside_right,
                      whose +
                          ": inside all cells are right, near an end they are not. What the sweeps "
                          "after the first one find in cell 0 and cell n + 1 is not their "
                          "neighbour's newest");
    checker::expect_same(whose, piece, own_right);
  }
  if (seen) {
    double most = 0;
    for (int device : devices)
      for (int other : devices)
        if (device != other) {
          const emu::LinkCounts link = seen->total_link(device, other);
          most = std::max(most, static_cast<double>(link.bytes()));
        }
    checker::expect_at_most(
        "bytes_each_way",
        most,
        4.0 * ((sweeps + 1) / 2), // of an odd number of sweeps the first one's, to the left
        "too_much",
        what + ": all is right, but more goes from one rank to the next than a cell "
               "for every second sweep. At each end only every second sweep makes a new cell");
    const auto times = *checker::timeline(checker::plain_model(10));
    free_to_go = returned.us(times) <= 0;
    const auto sweeps_of = [&](int device) { // before what is late in the first piece is there
      return static_cast<double>(
          std::ranges::count_if(times.bars, [&](const emu::TimelineBar &bar) {
            return bar.device == device && bar.kind == "kernel" && bar.begin_us < first_of_all.us();
          }));
    };
    if (late_first && ranks == 3)
      checker::record("sweeps_of_three_ranks", sweeps_of(devices.back()));
    if (late_first && ranks > 3) {
      checker::expect_at_least(
          "sweeps_without_the_first",
          sweeps_of(devices.back()),
          6,
          "held_up",
          what +
              ": all is right, but the last rank could get six sweeps done before what is late in "
              "the first piece reaches it. Does a rank wait for one that tells it nothing in this "
              "sweep? Or does it wait before it sends, and so hand the delay on at once?");
      checker::note("Your ranks' sweeps, by their numbers, while the first device is late:" +
                    sweeps_by_rank(times, devices, first_of_all.us()));
    }
  }
  checker::expect(free_to_go,
                  "host_waits",
                  what + ": all is right, but the host stands still until a device is done with "
                         "something. Streams can wait for one another without it");
}

// What becomes of the cells at the ends of each piece. A copy that comes with the last sweep may be missing, as nobody
// reads it: cell n + 1 is looked at behind the second sweep, and cell 0 behind the third. (Here nobody is late.) Of one
// sweep cell 0 is another number than the neighbour's cell n, so that who sends this one, which is not new, is seen.
void check_copies(int n, int ranks, int sweeps) {
  checker::unless_failed_before();
  const auto devices = checker::devices_of(ranks);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices);
  Cells rod = checker::random_values<unsigned>(static_cast<size_t>(n) * ranks, 1, 1u << 20);
  rod.insert(rod.begin(), 0);
  rod.push_back(0);
  std::vector<lab::DeviceBuffer<unsigned>> cells;
  std::vector<Cells> at_first, got;
  std::vector<Rank> rank;
  for (int r = 0; r < ranks; ++r) {
    at_first.push_back(piece_of(rod, n, r));
    at_first[r][0] += sweeps == 1 && r > 0 ? 1 : 0;
    cells.push_back(checker::on_device(devices[r], at_first[r]));
    rank.push_back({devices[r], own.streams[r], own.events[r], cells[r].data()});
  }
  checker::unobserved([&] {
    const checker::OnDevice back_again(devices[0]);
    sweep_in_place(rank.data(), ranks, n, sweeps);
    checker::wait_for(devices);
  });
  for (int r = 0; r < ranks; ++r)
    got.push_back(cells[r].download());
  sweep_half(rod, 1);
  const std::string after = checker::counted(sweeps, "sweep") + ": ";
  const auto call = [](int r, int cell) {
    return "cell " + std::to_string(cell) + " of rank " + std::to_string(r);
  };
  for (int r = 0; r < ranks && sweeps == 1; ++r) {
    Cells own = at_first[r];
    sweep_half(own, 1);
    for (const int cell : {1, n})
      checker::expect(got[r][cell] == own[cell],
                      "own_cell_lost",
                      after + call(r, cell) + " is its own, and somebody has copied into it");
    checker::expect(
        r == 0 || got[r][0] == own[0] || got[r][0] != at_first[r - 1][n],
        "not_new",
        after + call(r - 1, n) + " is as it was, and yet " + call(r, 0) +
            " has been overwritten with it: a late neighbour still reads the copy that it has. "
            "Which end of a piece is new behind this sweep?");
  }
  for (const int r : {0, ranks - 1})
    checker::expect(
        got[r][r == 0 ? 0 : n + 1] == 0,
        "end_of_the_rod",
        after + call(r, r == 0 ? 0 : n + 1) +
            " lies at an end of the rod, where it is to stay 0, and somebody has copied into it");
  for (int r = 0; r < ranks; ++r) {
    const int cell = sweeps == 2 ? n + 1 : 0, wanted = sweeps == 2 ? 1 : n;
    const int other = sweeps == 2 ? r + 1 : r - 1;
    if (sweeps == 1 || other < 0 || other == ranks || got[r][cell] == got[other][wanted])
      continue;
    const std::string becomes = after + call(r, cell) + " is to become " + call(other, wanted) +
                                ", which the " + (sweeps == 2 ? "first" : "second") +
                                " sweep has computed, ";
    checker::expect(got[r][cell] != at_first[r][cell],
                    "stale_borders",
                    becomes + "and still holds what it held at the beginning");
    int from = 0;
    while (from < n + 2 && got[r][cell] != got[other][from] &&
           got[r][cell] != at_first[other][from])
      ++from;
    checker::expect(false,
                    "wrong_cell",
                    becomes + (from < n + 2 ? "and has become " + call(other, from)
                                            : "and has become something else"));
  }
}

} // namespace

TEST_CASE("what a sweep leaves of the neighbours") {
  for (const int sweeps : {1, 2, 3})
    check_copies(100, 3, sweeps);
}

TEST_CASE("four sweeps") { check(300, 3, 4); }

TEST_CASE("one sweep") { check(100, 3, 1); }

TEST_CASE("pieces of any length") {
  for (int n : {2, 4, 32, 258, 1022})
    check(n, 3, 3);
  for (int n : checker::own_sizes(1, 2000, 3000))
    check(n + n % 2, 3, 3);
}

TEST_CASE("two devices") { check(1000, 2, 5); }

TEST_CASE("a device alone") { check(1000, 1, 3); }

TEST_CASE("the first device comes late") { check(1000, 3, 6, true); }

TEST_CASE("four devices, the first one comes late") { check(100, 4, 8, true); }

TEST_CASE("ten sweeps") { check(64, 3, 10); }
