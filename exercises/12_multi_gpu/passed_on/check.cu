// Checks passed_on.cu: all shares on all devices, whoever comes late, as much to the right as to the left, and that the
// host goes on.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

struct Rank {
  int device;
  cudaStream_t stream[2];
  cudaEvent_t passed[2];
  float *all;
};

void gather(const Rank *rank, int ranks, size_t n);

namespace {

[[maybe_unused]] const bool five_devices = setenv("EMU_DEVICES", "5", 1) == 0;

/// Whether gather() is right where all devices are waited for.
bool right_with_a_wait = false;

/// When each stream of four ranks carries something, where each link has as much room each way, and a whole share takes eight
/// characters: the number of the round, which is that of the copy in its stream.
std::string busy(emu::Timeline times, size_t n) {
  std::map<std::string, char> round; // of each stream's next copy
  std::vector<std::string> names;
  for (emu::TimelineBar &bar : times.bars) {
    bar.begin_us = 0;
    for (const size_t before : bar.after)
      bar.begin_us = std::max(bar.begin_us, times.bars[before].end_us);
    bar.end_us = bar.begin_us;
    if (bar.engine == "link")
      bar.end_us += 8.0 * static_cast<double>(bar.bytes) / static_cast<double>(n * sizeof(float));
  }
  for (const char *way : {"right", "left"})
    for (int r = 0; r < 4; ++r)
      names.push_back("rank " + std::to_string(r) + ", to the " + way);
  return checker::rows_of(times, 1, names, [&](const emu::TimelineBar &bar) -> char {
    return bar.engine == "link" ? static_cast<char>('1' + round[bar.lane]++) : 0;
  });
}

/// What a race or a refused call most often comes of.
void suspect() {
  checker::perhaps(
      right_with_a_wait
          ? "Within gather() the rounds wait for each other, but behind the last one nobody waits "
            "for what it brings: rank[r].stream[0] has to wait for what comes from the left, and "
            "for what comes from the right, too"
          : "Two sends of gather() touch one share: the one by which it comes, in a stream of a "
            "neighbour, and the one by which it goes on. What goes on to the one side has come "
            "from the other one: does it wait for that one's event between two rounds?",
      "stream_race");
  checker::perhaps(
      "A rank sends on a share that comes to it only afterwards. In the first round it "
      "sends its own both ways, in the next one to the right what the rank on its left had as its "
      "own: whose share goes which way in round 0, 1, 2?",
      "stream_race",
      "reads, and nothing makes");
  checker::perhaps(
      "The same numbers come to one rank by two sends. Where one half of a share comes from the "
      "left, the other half comes from the right: where does that one begin? And a whole share "
      "comes once",
      "stream_race",
      " writes what ");
  checker::perhaps("The shares have the numbers from 0 on. In C++ -1 % 4 is -1: in the second "
                   "round r - round is below "
                   "0 for the first rank, and there is no such share",
                   "cuda_error");
}

void expect_shares(const std::string &what,
                   int r,
                   size_t n,
                   const std::vector<float> &got,
                   const std::vector<float> &expected) {
  const int ranks = static_cast<int>(got.size() / n);
  int missing = 0, last_missing = -1;
  for (int whose = 0; whose < ranks; ++whose)
    if (std::all_of(got.begin() + whose * n, got.begin() + (whose + 1) * n, [](float value) {
          return std::isnan(value);
        })) {
      ++missing;
      last_missing = whose;
    }
  checker::diagnose("share_missing",
                    missing > 0,
                    what + ": rank " + std::to_string(r) + " lacks " + std::to_string(missing) +
                        " of " + std::to_string(ranks) + " shares" +
                        (missing == 1 ? ", that of rank " : ", one of them that of rank ") +
                        std::to_string(last_missing) +
                        ". By which ranks is it to come, and in which round does each pass it on?");
  long lost = 0; // the first number that is not there, though it is no NaN
  while (lost < static_cast<long>(got.size()) &&
         !(std::isnan(got[lost]) && !std::isnan(expected[lost])))
    ++lost;
  const long of = static_cast<long>(n);
  checker::diagnose("number_lost",
                    n % 2 == 1 && lost < static_cast<long>(got.size()),
                    what + ": rank " + std::to_string(r) + " lacks number " +
                        std::to_string(lost % of) + " of the share of rank " +
                        std::to_string(lost / of) + ". Half of " + std::to_string(n) +
                        " is rounded down: both halves together have to be all of it");
  checker::expect_same("what rank " + std::to_string(r) + " has, " + what, got, expected);
}

void expect_half_each_way(const std::string &what,
                          const emu::Observation &seen,
                          const std::vector<int> &devices,
                          size_t n) {
  const int ranks = static_cast<int>(devices.size());
  const auto kib = [&](int r, int other) {
    return static_cast<double>(seen.total_link(devices[r], devices[other]).bytes()) / 1024;
  };
  double most = 0, elsewhere = 0, to_the_left = 0;
  for (int r = 0; r < ranks; ++r)
    for (int other = 0; other < ranks; ++other) {
      const bool right = other == (r + 1) % ranks, left = r == (other + 1) % ranks;
      if (other == r)
        continue;
      double &side = right || left ? most : elsewhere;
      side = std::max(side, kib(r, other));
      to_the_left += left ? kib(r, other) : 0;
    }
  checker::expect(elsewhere == 0,
                  "not_a_ring",
                  what + ": all have all shares, but some have gone to others than neighbours");
  checker::expect(to_the_left > 0 || n == 1, // of which the larger half is all
                  "one_way",
                  what + ": all have all shares, but nothing goes to the left: half of what the "
                         "links can carry lies idle");
  const std::size_t half = (n + 1) / 2; // of two ranks both ways are one link
  checker::expect_at_most(
      "kib_over_link",
      most,
      4.0 * static_cast<double>(ranks == 2 ? n : half * (ranks - 1)) / 1024,
      "lopsided",
      what + ": all have all shares, but more goes over some link, one way, than half of what "
             "has to come in. send() takes any numbers, not only whole shares");
}

/// @param shares  of all ranks, one behind the other; null: any numbers
/// @return what rank 2 has at last
std::vector<float> check(size_t n,
                         int ranks,
                         bool late_first = false,
                         bool with_a_wait = false,
                         const std::vector<float> *shares = nullptr) {
  const auto devices = checker::devices_of(ranks);
  checker::let_reach_each_other(devices);
  std::vector<int> of_streams = devices;
  of_streams.insert(of_streams.end(), devices.begin(), devices.end());
  const checker::RankStreams own(of_streams);
  for (int r = 0; r < ranks; ++r)
    for (int way : {0, 1})
      checker::name_stream(own.streams[way * ranks + r],
                           "rank[" + std::to_string(r) + "].stream[" + std::to_string(way) + "]");
  const auto expected = shares ? *shares : checker::extreme_values<float>(n * ranks);
  std::vector<lab::DeviceBuffer<float>> all;
  std::vector<Rank> rank;
  for (int r = 0; r < ranks; ++r) {
    std::vector<float> begins(n * ranks, NAN);
    std::copy_n(expected.begin() + r * n, n, begins.begin() + r * n);
    all.push_back(checker::on_device(devices[r], begins));
    rank.push_back({devices[r],
                    {own.streams[r], own.streams[ranks + r]},
                    {own.events[r], own.events[ranks + r]},
                    all.back().data()});
  }
  lab::PinnedBuffer<float> found(n * ranks * ranks);
  const std::string what = checker::counted(ranks, "rank") + ", shares of " + std::to_string(n) +
                           (late_first ? ", the first device comes late" : "");
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  const checker::LongCopy first_of_all[2] = {checker::LongCopy(1000, late_first),
                                             checker::LongCopy(1000, late_first)};
  bool free_to_go = true;
  suspect();
  const auto seen = checker::observe(what, [&] {
    const double limit_ms = late_first ? 200.0 : 0.0;
    checker::LateStreams late({{rank[0].stream[0], limit_ms}, {rank[0].stream[1], limit_ms}});
    if (late_first && lab::on_emulator())
      for (int way : {0, 1})
        first_of_all[way].in(rank[0].stream[way]);
    gather(rank.data(), ranks, n);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaSetDevice(devices[0]));
    returned.here();
    if (with_a_wait)
      checker::wait_for(devices);
    for (int r = 0; r < ranks; ++r)
      LAB_CHECK(cudaMemcpyAsync(found.data() + r * n * ranks,
                                rank[r].all,
                                n * ranks * sizeof(float),
                                cudaMemcpyDeviceToHost,
                                rank[r].stream[0]));
    if (late_first) // who does not wait for it goes ahead meanwhile
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    free_to_go = late.let_go() || !late_first;
    checker::wait_for(devices);
  });
  for (int r = 0; r < ranks; ++r) {
    const std::vector<float> got(found.begin() + r * n * ranks,
                                 found.begin() + (r + 1) * n * ranks);
    expect_shares(what, r, n, got, expected);
  }
  if (seen && ranks > 1) {
    expect_half_each_way(what, *seen, devices, n);
    const auto times = *checker::timeline(checker::plain_model(10));
    free_to_go = returned.us(times) <= 0;
    const auto at_once = std::ranges::count_if(times.bars, [](const emu::TimelineBar &bar) {
      return bar.engine == "link" && bar.after.empty();
    });
    if (ranks > 2 && !late_first && n > 1) // nothing is no copy
      checker::expect(!free_to_go || at_once >= 2 * ranks,
                      "in_turn",
                      what +
                          ": as much goes to the right as to the left, but not at the same time: "
                          "in the first round one way waits for the other, or a rank for another");
    if (late_first && ranks > 3)
      checker::expect_at_least(
          "sent_without_the_first",
          checker::begun_before(times, devices[2], first_of_all[0].us()),
          4,
          "waits_for_all",
          what +
              ": all have all shares, but the third rank, whose neighbours are not late, waits for "
              "the first one before it has sent all that it can: its own share both ways, and half "
              "of those of its neighbours. It need not know more than that what it passes on has "
              "come; and if one loop lets a rank send and others wait, their sends of this round "
              "stand behind the wait");
    if (n == 2048)
      checker::note("When your links are busy, and in which round. One way round alone it would be "
                    "111111112222222233333333:" +
                    busy(times, n));
  }
  checker::expect(
      free_to_go,
      "host_waits",
      what + ": all have all shares, but the host stands still until a device is done with "
             "something. Streams can wait for one another without it");
  return {found.begin() + std::min(2, ranks - 1) * n * ranks,
          found.begin() + (std::min(2, ranks - 1) + 1) * n * ranks};
}

/// Whether there is light at this place of a picture of Saturn.
bool saturn(double x, double y) {
  const auto within = [&](double width, double height) {
    return x * x / (width * width) + y * y / (height * height) <= 1;
  };
  const bool ring = within(17, 4.6) && !within(12.5, 2.4);
  return within(8, 8) ? !ring || y < 0 : ring;
}

} // namespace

TEST_CASE("four ranks, and the host waits for all devices") {
  right_with_a_wait = false;
  check(1024, 4, false, true);
  right_with_a_wait = true;
}

TEST_CASE("four ranks") {
  check(1024, 4);
  check(33, 4);
}

TEST_CASE("five ranks") { check(300, 5); }

TEST_CASE("three ranks, and shares of any length") {
  for (int n : {1, 31, 257, 1023})
    check(n, 3);
  for (int n : checker::own_sizes(1, 4099, 5000))
    check(n, 3);
}

TEST_CASE("two ranks") { check(1000, 2); }

TEST_CASE("a rank alone") { check(1000, 1); }

TEST_CASE("two ranks, the first device comes late") { check(5000, 2, true); }

TEST_CASE("four ranks, the first device comes late") { check(5000, 4, true); }

TEST_CASE("shares of 2048") { check(2048, 4); }

TEST_CASE("a picture") {
  constexpr int width = 35, rows = 16, between = 4;
  checker::unless_failed_before();
  std::vector<float> light;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < width; ++col)
      light.push_back(saturn(col - width / 2, row - (rows - 1) / 2.0) ? 1.0f : 0.0f);
  checker::unobserved([&] {
    const auto got = check(width * rows / 4, 4, false, false, &light);
    std::vector<bool> cells;
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < width; ++col)
        cells.push_back(row / (rows / 4) == 2 && light[row * width + col] > 0);
      cells.resize(cells.size() + between);
      for (int col = 0; col < width; ++col)
        cells.push_back(got[row * width + col] > 0);
    }
    checker::note("A picture of which each rank had a quarter: what rank 2 had, and what it has:" +
                  checker::picture(cells, 2 * width + between));
  });
}
