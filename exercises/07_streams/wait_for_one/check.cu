// Checks wait_for_one.cu: which sample is found, how many are weighed for it, and for what the host waits.
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
               const cudaStream_t streams[8],
               const cudaEvent_t *events);

namespace {

constexpr double kernel_us = 12;

struct Queues {
  bool one_stream = false; ///< all eighths are in a single one
  bool behind_eighths = false; ///< what came behind the eighths had to wait for them
  bool in_turn =
      false; ///< a sample is weighed when another is done, for which it need not have waited
};

/// @param known_us  when the host could know the first eighth with gold
Queues queues_of(const emu::Timeline &times, std::size_t eighths, double known_us) {
  Queues queues{false, false, checker::most_at_once(times) < 2};
  std::vector<emu::TimelineBar> kernels;
  std::map<std::string, double> free_us; // since when a stream has had nothing to do
  int in_turn = 1; // of those that came behind the eighths
  for (const emu::TimelineBar &bar : times.bars) {
    if (bar.kind != "kernel")
      continue;
    if (kernels.size() < eighths) {
      queues.in_turn = queues.in_turn || bar.begin_us > free_us[bar.lane] + 1;
    } else if (kernels.size() > eighths) {
      in_turn = bar.begin_us >= kernels.back().end_us ? in_turn + 1 : 1;
      queues.in_turn = queues.in_turn || in_turn > 2;
    }
    for (std::size_t k = 0; k < eighths && eighths <= kernels.size(); ++k)
      queues.behind_eighths = queues.behind_eighths ||
                              (kernels[k].lane == bar.lane && kernels[k].end_us > known_us + 1);
    free_us[bar.lane] = bar.end_us;
    kernels.push_back(bar);
    queues.one_stream = queues.one_stream || (kernels.size() == eighths && free_us.size() == 1);
  }
  return queues;
}

/// @param first  the first sample with gold; `count`: there is none
/// @return after how many kernels' time the host knows, where that can be told
std::optional<double> check(int n, int count, int first, int most = 99, bool show = false) {
  const checker::Streams own(8, count);
  checker::name_streams(own.streams, "streams[#]");
  const int half = most / 2; // the last sample without gold has nothing but it
  std::vector<int> h_in = checker::random_values<int>(static_cast<std::size_t>(n) * first, 0, half);
  for (int i = 0; i < n && first > 0; ++i)
    h_in[static_cast<std::size_t>(first - 1) * n + i] = half;
  const auto gold =
      checker::random_values<int>(static_cast<std::size_t>(n) * (count - first), half + 1, most);
  h_in.insert(h_in.end(), gold.begin(), gold.end());
  // What one number has more another one has less: none of them tells of the sum.
  const auto moved = checker::random_values<int>(h_in.size() / 2, 0, half);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    int &one = h_in[2 * k], &other = h_in[2 * k + 1];
    const int less = std::min({moved[k], one, most - other});
    if (n % 2 == 0 && static_cast<int>(2 * k) / n != first - 1) {
      one -= less;
      other += less;
    }
  }
  const int enough = n * half, expected = n > 0 && first < count ? first : -1;
  const auto d_in = checker::on_device(h_in);
  const auto d_sums = checker::poisoned<int>(count);
  lab::PinnedBuffer<int> h_sums(count);
  std::fill(h_sums.begin(), h_sums.end(), -2);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what =
      checker::counted(count, "sample") + " of " + checker::elements(n, "number") +
      (expected < 0 ? ", none with gold"
                    : ", gold from number " + std::to_string(expected) + " on");
  int got = -2;
  const auto seen = checker::observe(what, [&] {
    std::vector<checker::Late> late_ones;
    // Whoever does not wait reads too early.
    for (int k = 0; k < 8; ++k)
      late_ones.push_back({own.streams[k], 20.0 + 5.0 * (8 - k)});
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
  checker::diagnose(
      "eighth_found",
      got >= 0 && expected >= 0 && got > expected && got / 8 == expected / 8 && got % 8 == 7,
      what + ": number " + std::to_string(got) +
          " is the first with gold of every eighth. But have the seven above it, from "
          "number " +
          std::to_string(got - 7) + " on, been weighed?");
  checker::diagnose("enough_is_not_more",
                    got >= 0 && got == first - 1,
                    what + ": number " + std::to_string(got) +
                        " has exactly what is enough, and the first with more is asked for");
  checker::diagnose("gave_up",
                    got == -1 && expected >= 0,
                    what + ": -1, as if none had gold. Has the host waited for a sum before it "
                           "looked, or only asked? And is the last sample one of the eighths?");
  checker::expect_same("sample of " + what, got, expected);
  if (!seen)
    return std::nullopt;
  std::uint64_t launches = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    launches += kernel.launches;
  checker::expect(launches > 0 || n * count == 0,
                  "not_weighed",
                  what + ": the right one is found, but no kernel has weighed anything");
  checker::expect(launches > 1 || n * count == 0 || count == 8,
                  "not_weighed",
                  what +
                      ": the right one is found, but only one sample was weighed: which have gold "
                      "is for the kernels to say");
  checker::expect_at_most("samples_weighed",
                          static_cast<double>(launches),
                          count / 8 + 7,
                          "too_many_weighed",
                          what + ": the right one is found, but it takes no more than every eighth "
                                 "sample and seven others");
  const auto times = *checker::timeline(checker::plain_model(kernel_us));
  const double kernels = std::round(returned.us(times) / kernel_us);
  const int eighths = expected < 0 ? count / 8 : expected / 8 + 1, bound = (eighths + 3) / 4 + 2;
  if (kernels > bound) {
    const Queues queues = queues_of(times, count / 8, kernel_us * ((eighths + 3) / 4));
    const std::string late = what + ": the right one is found, but ";
    checker::expect(!queues.one_stream,
                    "eighths_in_one_stream",
                    late + "all of the eighths are in one stream, where each has to wait for the "
                           "one before. For samples 7, 15, 23 …, which streams do you name?");
    checker::expect(
        checker::most_at_once(times) < 2 || !queues.behind_eighths,
        "queued_behind",
        late + "the seven above stand in a queue behind samples that nobody asks for "
               "any more. A stream keeps its order: could others have been left free for them?");
    checker::expect(!queues.in_turn,
                    "one_after_the_other",
                    late + "samples are weighed one after the other, where streams have nothing to "
                           "do: submit what you want to know, and then wait");
  }
  checker::expect_at_most(
      "kernel_times",
      kernels,
      bound,
      "waits_for_others",
      what +
          ": the right one is found, but the host waits for samples behind the one that it looks "
          "at next. An event tells of all that its stream has been given when it is recorded: "
          "beside this one, which samples stand ahead of cudaEventRecord?");
  if (show)
    checker::note(
        "Gold from number " + std::to_string(expected) + " on: " + std::to_string(launches) +
        " of 192 samples were weighed, and your host knows "
        "after " +
        std::to_string(std::lround(kernels)) +
        " kernels' time (a kernel is ####, to weigh all takes 24):" +
        checker::rows_of(
            times,
            kernel_us / 4,
            std::vector<std::string>(8, "stream"),
            [](const emu::TimelineBar &bar) { return bar.kind == "kernel" ? '#' : '\0'; }) +
        "\n          " + std::string(4 * static_cast<std::size_t>(kernels), ' ') + "^ it knows");
  return kernels;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 16, 12);
}

TEST_CASE("any depth") {
  checker::unless_failed_before();
  for (int first : {0, 7, 8, 31, 39})
    check(40, 40, first);
  check(100, 8, 7);
  checker::at_large_size([] { check(1, 2048, 2044); });
}

TEST_CASE("no gold at all") {
  checker::unless_failed_before();
  check(100, 8, 8);
  check(100, 24, 24);
  check(100, 0, 0);
}

TEST_CASE("as much as an int can hold") { check(1, 8, 4, INT_MAX - 1); }

TEST_CASE("192 samples") {
  checker::unless_failed_before();
  check(40, 192, checker::random_values<int>(1, 24, 30)[0], 99, true);
}

TEST_CASE("the first of seven, and the last") {
  checker::unless_failed_before();
  // In whatever order the seven are asked for and looked at: one of these depths is known early.
  bool late = true;
  for (int first : {24, 30}) {
    const auto kernels = late ? check(40, 64, first) : std::nullopt;
    const auto times = checker::timeline(checker::plain_model(kernel_us));
    late = late && kernels && *kernels > 2 &&
           std::ranges::count(times->bars, "kernel", &emu::TimelineBar::kind) == 64 / 8 + 7;
  }
  checker::expect(!late,
                  "waits_for_others",
                  "64 samples: the right one is found, but with gold from number 24 on the host "
                  "knows after 3 kernels' time, where it could know after 2. It waits for a whole "
                  "stream, in which other samples stand behind the one that it looks at next");
}

TEST_CASE("gold from number 75 on") {
  checker::unless_failed_before();
  if (const auto kernels = check(30, 128, 75))
    checker::record("kernels_until_known", *kernels);
}
