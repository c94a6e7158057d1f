// Checks stale_borders.cu: every cell, whichever device comes late, what goes over the links, and that the
// host goes on.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>

struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t told;
  unsigned *cells[2];
};

void sweep_often(const Rank *rank, int ranks, int n, int sweeps);

namespace {

using Cells = std::vector<unsigned>;

Cells swept(const Cells &in) {
  Cells out(in.size(), 0);
  for (size_t i = 1; i + 1 < in.size(); ++i)
    out[i] = in[i - 1] + 2 * in[i] + in[i + 1];
  return out;
}

Cells piece_of(const Cells &rod, int n, int rank) {
  return {rod.begin() + rank * n, rod.begin() + (rank + 1) * n + 2};
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
    const Cells piece = piece_of(rod, n, r);
    Cells other(n + 2, 0xCDCDCDCDu); // not written yet
    if (r == 0)
      other.front() = 0;
    if (r == ranks - 1)
      other.back() = 0;
    cells.push_back(checker::on_device(devices[r], piece));
    cells.push_back(checker::on_device(devices[r], other));
    rank.push_back({devices[r],
                    own.streams[r],
                    own.events[r],
                    {cells[2 * r].data(), cells[2 * r + 1].data()}});
  }
  const std::string what = std::to_string(ranks) + " pieces of " + checker::elements(n, "cell") +
                           ", " + checker::counted(sweeps, "sweep") +
                           (late_first ? ", the first device comes late" : "");
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  const checker::LongCopy first_of_all(1000);
  bool free_to_go = true;
  checker::perhaps(
      "A rank has to wait for the events of its neighbours, r - 1 and r + 1, after they "
      "have recorded them in this sweep: a wait for an event of one's own stream waits "
      "for nothing, and one that comes before the record waits for an older one. If these two are "
      "copies: a rank sends "
      "a cell of its own, 1 or n, into which nobody copies",
      "stream_race");
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{rank[0].stream, late_first ? 200.0 : 0.0}});
    if (late_first && lab::on_emulator())
      first_of_all.in(rank[0].stream);
    sweep_often(rank.data(), ranks, n, sweeps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaSetDevice(devices[0]));
    returned.here();
    free_to_go = late.let_go() || !late_first;
    checker::wait_for(devices);
  });
  Cells expected = rod;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    expected = swept(expected);
  for (int r = 0; r < ranks; ++r) {
    Cells got = cells[2 * r + sweeps % 2].download();
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
        4.0 * sweeps,
        "too_much",
        what + ": all is right, but more goes from one rank to the next than a cell "
               "for each sweep");
    const auto times = *checker::timeline(checker::plain_model(10));
    free_to_go = returned.us(times) <= 0;
    if (late_first && ranks > 3)
      checker::expect_at_least(
          "done_without_the_first",
          checker::begun_before(times, devices.back(), first_of_all.us()),
          3, // two sweeps and a cell to the left: the third sweep needs one that needs the first rank
          "waits_for_all",
          what + ": all is right, but the last rank waits for the first one from the first sweep "
                 "on, which is not its neighbour. It can do some sweeps before what is late in the "
                 "first piece reaches it");
  }
  checker::expect(free_to_go,
                  "host_waits",
                  what + ": all is right, but the host stands still until a device is done with "
                         "something. Streams can wait for one another without it");
}

// What a rank knows of its neighbours after a sweep: cell 0 is the last one of the rank before, cell n + 1 the first one
// of the rank after. (Here nobody is late.)
void check_copies(int n, int ranks) {
  const auto devices = checker::devices_of(ranks);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices);
  Cells rod = checker::random_values<unsigned>(static_cast<size_t>(n) * ranks, 1, 1u << 20);
  rod.insert(rod.begin(), 0);
  rod.push_back(0);
  const auto at_an_end = [&](int r, int cell) {
    return r == 0 ? cell == 0 : r + 1 == ranks && cell == n + 1;
  };
  std::vector<lab::DeviceBuffer<unsigned>> before, after;
  std::vector<Cells> at_first; // in `after`
  std::vector<Rank> rank;
  for (int r = 0; r < ranks; ++r) {
    Cells piece = piece_of(rod, n, r);
    before.push_back(checker::on_device(devices[r], piece));
    for (const int end : {0, n + 1}) // nobody else's
      piece[end] = at_an_end(r, end) ? 0 : (2u << 20) + 2 * r + (end > 0);
    after.push_back(checker::on_device(devices[r], piece));
    at_first.push_back(piece);
    rank.push_back(
        {devices[r], own.streams[r], own.events[r], {before[r].data(), after[r].data()}});
  }
  checker::unobserved([&] {
    const checker::OnDevice back_again(devices[0]);
    sweep_often(rank.data(), ranks, n, 1);
    checker::wait_for(devices);
  });
  std::vector<Cells> got;
  for (int r = 0; r < ranks; ++r)
    got.push_back(after[r].download());
  const Cells expected = swept(rod);
  const auto call = [](int r, int cell) {
    return "cell " + std::to_string(cell) + " of rank " + std::to_string(r);
  };
  for (int r = 0; r < ranks; ++r)
    for (const int cell : {1, n})
      checker::expect(got[r][cell] == expected[r * n + cell],
                      "own_cell_lost",
                      "one sweep: " + call(r, cell) +
                          " is its own, and somebody has copied into it");
  for (int r = 0; r < ranks; ++r)
    for (const int cell : {0, n + 1}) {
      checker::expect(
          got[r][cell] == 0 || !at_an_end(r, cell),
          "end_of_the_rod",
          "one sweep: " + call(r, cell) +
              " lies at an end of the rod, where it is to stay 0, and somebody has copied into it");
      if (got[r][cell] == expected[r * n + cell])
        continue;
      const int other = cell == 0 ? r - 1 : r + 1, wanted = cell == 0 ? n : 1;
      const std::string becomes =
          "one sweep: " + call(r, cell) + " is to become " + call(other, wanted);
      checker::expect(got[r][cell] != at_first[r][cell],
                      "stale_borders",
                      becomes + ", as this sweep has left it, and still holds what it held before");
      int from =
          0; // copies have no order among themselves: what comes from one may be of before it or behind it
      while (from < n + 2 && got[r][cell] != got[other][from] &&
             got[r][cell] != at_first[other][from])
        ++from;
      checker::expect(false,
                      "wrong_cell",
                      becomes + (from < n + 2 ? ", and has become " + call(other, from)
                                              : ", and has become something else"));
    }
}

} // namespace

TEST_CASE("what a sweep leaves of the neighbours") { check_copies(100, 3); }

TEST_CASE("four sweeps") { check(300, 3, 4); }

TEST_CASE("one sweep") { check(100, 3, 1); }

TEST_CASE("pieces of any length") {
  for (int n : {1, 2, 31, 257, 1023})
    check(n, 3, 3);
}

TEST_CASE("two devices") { check(1000, 2, 5); }

TEST_CASE("a device alone") { check(1000, 1, 3); }

TEST_CASE("the first device comes late") { check(1000, 3, 4, true); }

TEST_CASE("four devices, the first one comes late") { check(100, 4, 4, true); }

TEST_CASE("ten sweeps") { check(64, 3, 10); }
