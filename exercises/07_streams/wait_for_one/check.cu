// Checks wait_for_one.cu: which sample is found, and for what the host waits.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>

int first_gold(const int *d_in,
               int n,
               int count,
               int enough,
               int *d_sums,
               int *h_sums,
               const cudaStream_t streams[4],
               const cudaEvent_t *events);

namespace {

constexpr double kernel_us = 10;

/// The samples of each stream, as long as they take, and when the host knows.
std::string chart(int count, int kernels) {
  std::string text = "\n";
  for (int stream = 0; stream < 4; ++stream) {
    text += "  stream " + std::to_string(stream) + "  ";
    for (int k = stream, done = 0; k < count; k += 4, ++done) {
      text += done == kernels ? " |" : "";
      text += (k < 10 ? "  " : " ") + std::to_string(k);
    }
    text += "\n";
  }
  return text + std::string(12 + 3 * static_cast<std::size_t>(kernels), ' ') + "^ your host knows";
}

/// @param first  the first sample with more than enough; below 0: there is none. Deeper ones have as much, or not.
/// @return after how many kernels' time the host knows, where that can be told
std::optional<double> check(int n, int count, int first, int most = 99) {
  const checker::Streams own(4, count);
  checker::name_streams(own.streams, "streams[#]");
  // Below the sum of the sample that is to be found, which is not less than that of those above it.
  std::vector<int> h_in = checker::random_values<int>(static_cast<std::size_t>(n) * count, 0, most);
  std::vector<int> sums(count, 0);
  if (first >= 0)
    for (int i = 0; i < n; ++i)
      h_in[static_cast<std::size_t>(first) * n + i] = most;
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i)
      sums[k] += h_in[static_cast<std::size_t>(k) * n + i];
  int enough = -1; // nothing at all is none
  for (int k = 0; k < (first < 0 ? count : first); ++k)
    enough = std::max(enough, sums[k]);
  const auto found = std::find_if(sums.begin(), sums.end(), [&](int s) { return s > enough; });
  const int expected = found == sums.end() ? -1 : static_cast<int>(found - sums.begin());
  const auto d_in = checker::on_device(h_in);
  const auto d_sums = checker::poisoned<int>(count);
  lab::PinnedBuffer<int> h_sums(count);
  std::fill(h_sums.begin(), h_sums.end(), -2);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what =
      checker::counted(count, "sample") + " of " + checker::elements(n, "number") +
      (expected < 0 ? ", none with enough"
                    : ", gold from number " + std::to_string(expected) + " on");
  int got = -2;
  const auto seen = checker::observe(what, [&] {
    std::vector<checker::Late> late_ones;
    // Whoever does not wait reads too early.
    for (int k = 0; k < 4; ++k)
      late_ones.push_back({own.streams[k], 20.0 + 5.0 * (4 - k)});
    checker::LateStreams late(late_ones);
    got = first_gold(d_in.data(),
                     n,
                     count,
                     enough,
                     d_sums.data(),
                     h_sums.data(),
                     own.streams.data(),
                     own.events.data());
    LAB_CHECK_LAUNCH();
    returned.here();
  });
  LAB_CHECK(cudaDeviceSynchronize());
  checker::diagnose("last_found",
                    got > expected && got < count && expected >= 0 && sums[got] > enough,
                    what + ": number " + std::to_string(got) +
                        " has enough, but so has one above it. Who looks in another order, or goes "
                        "on looking, finds another");
  checker::diagnose("enough_is_not_more",
                    got >= 0 && got < count && got != expected && sums[got] == enough,
                    what + ": number " + std::to_string(got) +
                        " has exactly what is enough, and the first with more is asked for");
  checker::diagnose("gave_up",
                    got == -1 && expected >= 0,
                    what +
                        ": -1, as if none had. Has the host waited for the copy before it looked, "
                        "or only asked?");
  checker::expect_same("sample of " + what, got, expected);
  if (seen) {
    std::uint64_t launches = 0;
    for (const emu::KernelReport &kernel : seen->kernels)
      launches += kernel.launches;
    checker::expect(n == 0 || launches == static_cast<std::uint64_t>(count),
                    "not_a_kernel_each",
                    what + ": the right one is found, but kernels were launched " +
                        (launches == 1 ? "once" : std::to_string(launches) + " times") +
                        ". Each sample has a kernel, and all are submitted before the host waits");
  }
  checker::diagnose("sums_missing",
                    std::find(h_sums.begin(), h_sums.end(), -2) != h_sums.end(),
                    what + ": the right one is found, but not all sums have come to `h_sums`. All "
                           "copies are submitted, too, before the host waits");
  checker::expect_same("sums of " + what, std::vector<int>(h_sums.begin(), h_sums.end()), sums);
  if (!seen)
    return std::nullopt;
  const auto times = *checker::timeline(checker::plain_model(kernel_us));
  bool waited = false; // between two launches
  std::map<std::string, double> free_us; // since when a stream has had nothing to do
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel") {
      double &since = free_us[bar.lane];
      waited = waited || bar.begin_us > since + kernel_us / 2;
      since = bar.end_us;
    }
  checker::expect(count < 2 || !waited,
                  "one_after_the_other",
                  what + ": the right one is found, but the host waits between two launches, and "
                         "meanwhile streams have nothing to do");
  const double kernels = std::round(returned.us(times) / kernel_us);
  const int needed = ((expected < 0 ? count - 1 : expected) + 4) / 4;
  double last = 0;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel")
      last = std::max(last, bar.end_us / kernel_us);
  checker::expect(std::round(last) <= (count + 3) / 4,
                  "streams_idle",
                  what + ": the right one is found, but all samples take the time of " +
                      std::to_string(std::lround(last)) + " kernels, where four streams need " +
                      std::to_string((count + 3) / 4) + ". Is sample k in streams[k % 4]?");
  checker::expect_at_most(
      "kernel_times",
      kernels,
      needed,
      "waits_for_others",
      what + ": the right one is found, but the host waits for more than this sample, and those "
             "above it: for what the streams have got behind them. If it is an event that it waits "
             "for, that tells of all that its stream has got when it is recorded, for the last "
             "time: which samples are these?");
  return kernels;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 6, 5);
}

TEST_CASE("any depth") {
  checker::unless_failed_before();
  for (int first : {0, 3, 4, 7, 19})
    check(100, 20, first);
  check(100, 1, 0);
}

TEST_CASE("no gold at all") {
  checker::unless_failed_before();
  check(100, 1, -1);
  check(100, 9, -1);
  check(100, 0, -1);
}

TEST_CASE("as much as an int can hold") { check(1, 5, 4, INT_MAX); }

TEST_CASE("forty samples") {
  checker::unless_failed_before();
  const int first = checker::random_values<int>(1, 12, 23)[0];
  const auto kernels = check(300, 40, first);
  if (kernels)
    checker::note(
        "Gold in sample " + std::to_string(first) + ", and your host knows after " +
        std::to_string(std::lround(*kernels)) +
        " of 10 kernels' time, while the streams go on:" + chart(40, static_cast<int>(*kernels)));
}

TEST_CASE("gold in the tenth sample") {
  checker::unless_failed_before();
  if (const auto kernels = check(300, 24, 9))
    checker::record("kernels_until_known", *kernels);
}
