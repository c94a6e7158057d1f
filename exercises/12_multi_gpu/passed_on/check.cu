// Checks passed_on.cu: all shares on all devices, whoever comes late, only over links to the right, and that
// the host goes on.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

struct Rank {
  int device;
  cudaStream_t stream;
  cudaEvent_t passed;
  float *all;
};

void gather(const Rank *rank, int ranks, size_t n);

namespace {

/// Whether gather() is right where all devices are waited for.
bool right_with_a_wait = false;

/// @return when what went over the links, where that can be told
std::optional<emu::Timeline>
check(size_t n, int ranks, bool late_first = false, bool with_a_wait = false) {
  std::optional<emu::Timeline> over_links;
  const auto devices = checker::devices_of(ranks);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices);
  checker::name_streams(own.streams, "rank[#].stream");
  const auto expected = checker::extreme_values<float>(n * ranks);
  std::vector<lab::DeviceBuffer<float>> all;
  std::vector<Rank> rank;
  for (int r = 0; r < ranks; ++r) {
    std::vector<float> begins(n * ranks, NAN);
    std::copy_n(expected.begin() + r * n, n, begins.begin() + r * n);
    all.push_back(checker::on_device(devices[r], begins));
    rank.push_back({devices[r], own.streams[r], own.events[r], all.back().data()});
  }
  lab::PinnedBuffer<float> found(n * ranks * ranks);
  const std::string what = checker::counted(ranks, "rank") + ", shares of " + std::to_string(n) +
                           (late_first ? ", the first device comes late" : "");
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  const checker::LongCopy first_of_all(1000);
  bool free_to_go = true;
  checker::perhaps(
      right_with_a_wait
          ? "Within gather() the rounds wait for each other, but behind the last one nobody waits "
            "for what it brings: rank[r].stream has to wait once more for the event of the rank on "
            "its left"
          : "Two sends of gather() touch one share: the one by which it comes, in the stream "
            "of the rank on the left, and the one by which it goes on. Does a rank wait for "
            "the event of the rank on its left between two rounds?",
      "stream_race");
  checker::perhaps(
      "A rank sends on a share that comes to it only afterwards. In the first round it "
      "sends its own, in the next one what the rank on its left had as its own, then "
      "what the second on its left had: whose share goes out in round 0, 1, 2?",
      "stream_race",
      " reads, and nothing");
  checker::perhaps("The shares have the numbers from 0 on. In C++ -1 % 4 is -1: in the second "
                   "round r - round is below "
                   "0 for the first rank, and there is no such share",
                   "cuda_error");
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{rank[0].stream, late_first ? 200.0 : 0.0}});
    if (late_first && lab::on_emulator())
      first_of_all.in(rank[0].stream);
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
                                rank[r].stream));
    if (late_first) // who does not wait for it goes ahead meanwhile
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    free_to_go = late.let_go() || !late_first;
    checker::wait_for(devices);
  });
  for (int r = 0; r < ranks; ++r) {
    const std::vector<float> got(found.begin() + r * n * ranks,
                                 found.begin() + (r + 1) * n * ranks);
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
                          " of " + std::to_string(ranks) + " shares, among them that of rank " +
                          std::to_string(last_missing));
    checker::expect_same("what rank " + std::to_string(r) + " has, " + what, got, expected);
  }
  if (seen) {
    double most = 0, elsewhere = 0;
    for (int r = 0; r < ranks; ++r)
      for (int other = 0; other < ranks; ++other) {
        if (other == r)
          continue;
        const auto bytes =
            static_cast<double>(seen->total_link(devices[r], devices[other]).bytes());
        double &side = other == (r + 1) % ranks ? most : elsewhere;
        side = std::max(side, bytes);
      }
    checker::expect(elsewhere == 0,
                    "not_a_ring",
                    what +
                        ": all have all shares, but some have gone to others than the rank on the "
                        "right");
    checker::expect_at_most("kib_over_link",
                            most / 1024,
                            4.0 * static_cast<double>(n) * (ranks - 1) / 1024,
                            "too_much",
                            what +
                                ": all have all shares, but more goes over a link than each share "
                                "of others once");
    const auto times = *checker::timeline(checker::plain_model(10));
    over_links = times;
    free_to_go = returned.us(times) <= 0;
    if (late_first && ranks > 3) {
      const auto begun = checker::begun_before(times, devices.back(), first_of_all.us());
      checker::expect_at_least(
          "sent_without_the_first",
          begun,
          3,
          "waits_for_all",
          what + ": all have all shares, but the last rank" +
              (begun < 1 ? " waits for the first one before it sends as much as its own share. If "
                           "one loop lets a rank send and the one on its right wait, that one's "
                           "send of the same round stands behind the wait: first all sends of a "
                           "round, then all waits"
                         : ", which has got the shares of the two on its left, waits for the first "
                           "one before it passes them on. It need not know more than that what it "
                           "passes on has come"));
    }
  }
  checker::expect(
      free_to_go,
      "host_waits",
      what + ": all have all shares, but the host stands still until a device is done with "
             "something. Streams can wait for one another without it");
  return over_links;
}

/// Who has which share, after each copy of the first rank's: a link carries shares in the order in which they came. Empty
/// if the ring does not go in step.
std::string rounds(const emu::Timeline &times, const std::vector<int> &devices) {
  const std::size_t ranks = devices.size();
  std::vector<std::string> had(ranks), rows(ranks);
  std::vector<std::size_t> sent(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r)
    had[r] = static_cast<char>('a' + r);
  const auto draw = [&] {
    for (std::size_t r = 0; r < ranks; ++r) {
      std::string shares(ranks, '.');
      for (const char share : had[r])
        shares[share - 'a'] = share;
      rows[r] += "   " + shares;
    }
  };
  draw();
  std::vector<const emu::TimelineBar *> copies;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.engine == "link")
      copies.push_back(&bar);
  std::ranges::stable_sort(copies, {}, [](const auto *bar) { return bar->end_us; });
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto r = std::ranges::find(devices, copies[i]->device) - devices.begin();
    if (r == static_cast<long>(ranks) || sent[r] != i / ranks || had[r].size() <= sent[r])
      return {};
    had[(r + 1) % ranks] += had[r][sent[r]++];
    if ((i + 1) % ranks == 0)
      draw();
  }
  std::string text;
  for (std::size_t r = 0; r < ranks; ++r)
    text += "\n  rank " + std::to_string(r) + rows[r];
  return text;
}

} // namespace

TEST_CASE("four ranks, and the host waits for all devices") {
  right_with_a_wait = false;
  check(1024, 4, false, true);
  right_with_a_wait = true;
}

TEST_CASE("four ranks") { check(1024, 4); }

TEST_CASE("three ranks, and shares of any length") {
  for (int n : {1, 31, 257, 1023})
    check(n, 3);
}

TEST_CASE("two ranks") { check(1000, 2); }

TEST_CASE("a rank alone") { check(1000, 1); }

TEST_CASE("two ranks, the first device comes late") { check(5000, 2, true); }

TEST_CASE("four ranks, the first device comes late") { check(5000, 4, true); }

TEST_CASE("shares of 2048") {
  const auto times = check(2048, 4);
  const std::string seen = times ? rounds(*times, checker::devices_of(4)) : "";
  if (!seen.empty())
    checker::note("Who has which share, first and after each round of your ring:" + seen);
}
