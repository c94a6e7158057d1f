// Checks nobody_waits.cu: the sum, that the host touches nothing that a kernel still uses, and how often it waits.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"
#include "managed.hpp"

#include <algorithm>
#include <cmath>
#include <map>

unsigned weighted_sum(const unsigned *numbers,
                      int parts,
                      int n,
                      int rest,
                      unsigned *buffer,
                      const unsigned *weights,
                      unsigned *sum,
                      cudaStream_t stream);

namespace {

// Keeps a stream busy, so that what is queued behind it comes late enough for everybody to see.
__global__ void keep_busy(long long clocks) {
  for (const long long start = clock64(); clock64() - start < clocks;)
    continue;
}

std::string for_all(const std::string &what) {
  return what + ": the sum is right, but it comes only when what others do is done: "
                "the host waits for the whole device. Its kernels are in one stream";
}

/// Who worked and who stood still, a column for each 10 us, if a kernel takes that long and a launch does, too.
void show_host_and_kernels(const checker::HostMark &returned) {
  constexpr double column_us = 10;
  const auto times = *checker::timeline(checker::plain_model(column_us, column_us));
  const auto column = [&](double us) { return static_cast<int>(std::lround(us / column_us)); };
  double begin_us = returned.us(times);
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.name == "weigh")
      begin_us = std::min(begin_us, bar.begin_us);
  const int first = column(begin_us) - 1; // when it is launched
  std::string host(column(returned.us(times)) - first - 1, '-'), kernels(host.size(), ' ');
  for (const emu::TimelineBar &bar : times.bars)
    for (int at = std::max(column(bar.begin_us) - first, 0);
         at < std::min<int>(column(bar.end_us) - first, host.size());
         ++at)
      if (bar.kind == "waits")
        host[at] = '#';
      else if (bar.name == "weigh" || bar.name == "add_up")
        kernels[at] = bar.name[0];
  std::string host_before, kernels_before;
  for (int part = 0; part < 7; ++part) {
    host_before += "-#-#";
    kernels_before += " w a";
  }
  checker::note(
      "Seven parts, if a kernel takes as long as its launch. #: the host stands still; w, a: "
      "weigh and add_up.\nBefore:\n  host    " +
      host_before + "\n  kernels " + kernels_before + "\nYours:\n  host    " + host +
      "\n  kernels " + kernels);
}

/// @param busy  others are running something long
/// @return how many times the host waited, if that was seen
std::optional<double> check(int parts, int n, int rest, bool busy = false) {
  const size_t whole = static_cast<size_t>(parts) * n;
  const auto numbers = checker::extreme_values<unsigned>(whole + rest);
  const auto h_weights = checker::random_values<unsigned>(n, 2, 9);
  unsigned expected = 0, of_rest = 0;
  for (size_t i = 0; i < numbers.size(); ++i)
    (i < whole ? expected : of_rest) += numbers[i] * h_weights[i % n];
  expected += of_rest;
  const Managed<unsigned> buffer(2 * n), sum(1), weights(h_weights);
  const checker::Streams both(2);
  const cudaStream_t stream = both.streams[0], others = both.streams[1];
  checker::name_stream(stream, "`stream`");
  const checker::LongCopy of_others(1000);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  unsigned got = 0;
  bool left_others_alone = true;
  const std::string what = checker::counted(parts, "part") + " of " +
                           checker::elements(n, "number") + (busy ? " beside what others do" : "");
  checker::perhaps(
      "The sum is there when the kernels of the last part are done, be the number of parts even or "
      "odd: which line waits behind the last launch?",
      "host_race",
      "the host reads what kernel add_up");
  const auto seen = checker::observe(what, [&] {
    std::vector<checker::Late> late_ones;
    if (busy)
      late_ones.push_back({others, 400});
    checker::LateStreams late(late_ones);
    if (busy)
      of_others.in(others);
    keep_busy<<<1, 1, 0, stream>>>(lab::on_emulator() ? 1 : 20'000'000);
    LAB_CHECK_LAUNCH();
    got = weighted_sum(checker::goes_in(numbers).data(),
                       parts,
                       n,
                       rest,
                       buffer.data(),
                       weights.data(),
                       sum.data(),
                       stream);
    returned.here();
    left_others_alone = late.let_go() || !busy;
  });
  checker::diagnose("read_too_early",
                    whole > 0 && got == of_rest,
                    what + ": nothing of what kernels add up is in the result: *sum was read "
                           "before any kernel had added to it");
  checker::expect_same("the sum of " + what, got, expected);
  if (!seen) {
    checker::expect(left_others_alone, "waits_for_others", for_all(what));
    return {};
  }
  size_t launches = 0, weighed = 0; // and numbers
  bool one_warp = false, all_counted = true;
  for (const emu::KernelReport &kernel : seen->kernels)
    if (kernel.name == "weigh" || kernel.name == "add_up") {
      launches += kernel.launches;
      one_warp = one_warp || kernel.grid[0] * kernel.block[0] <= 32;
      all_counted = all_counted && kernel.blocks_traced == kernel.blocks();
      if (kernel.name == "weigh")
        weighed += kernel.total(emu::Access::global_store).bytes / sizeof(unsigned);
    }
  checker::expect(launches == 2 * static_cast<size_t>(parts),
                  "kernel_not_launched",
                  what + ": weigh and add_up should be launched once for each part");
  checker::expect(!one_warp,
                  "one_warp",
                  what + ": the sum is right, but a kernel was launched with one warp at most. A "
                         "smaller launch makes no wait needless; leave the launches as they were");
  checker::expect(!all_counted || weighed >= whole,
                  "worked_on_the_host",
                  what + ": the sum is right, but kernels have weighed " + std::to_string(weighed) +
                      " numbers of " + std::to_string(whole) +
                      ", and the host the others. Its own are those that fill no part");
  const auto times = *checker::timeline(checker::plain_model(10));
  checker::expect(!busy || returned.us(times) < of_others.us(), "waits_for_others", for_all(what));
  const double end = returned.us(times); // the checker waits, too, but later
  const auto waits =
      static_cast<double>(std::ranges::count_if(times.bars, [&](const emu::TimelineBar &bar) {
        return bar.kind == "waits" && bar.begin_us < end;
      }));
  // Who waits for one half at a time stands still more often, and not as long.
  const double launches_us = 2 * 10.0 * parts, bound_us = launches_us + 10.0 * (parts / 2 + 1) + 1;
  std::map<std::string, int> waits_for; // by the kernel that lasts as long as the wait
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "waits" && bar.begin_us < end)
      for (const emu::TimelineBar &kernel : times.bars)
        if (kernel.kind == "kernel" && std::abs(kernel.end_us - bar.end_us) < 0.01)
          ++waits_for[kernel.name];
  std::string whom;
  for (const char *kernel : {"weigh", "add_up"})
    if (waits_for[kernel] > 0)
      whom += (whom.empty() ? ", " : " and ") + checker::counted(waits_for[kernel], "time") +
              " until " + kernel + " is done";
  if (!(waits > parts / 2 + 1 &&
        returned.us(*checker::timeline(checker::plain_model(10, 10))) <= bound_us))
    checker::expect_at_most(
        "waits",
        waits,
        parts / 2 + 1,
        "needless_waits",
        what + ": the sum is right, and the host stands still more often than it has to" + whom +
            ". What does it touch next, behind each of these waits, and who may still be using "
            "that?");
  if (parts == 7)
    show_host_and_kernels(returned);
  return waits;
}

} // namespace

TEST_CASE("one part") {
  check(1, 100, 10);
  check(1, 1000, 999);
}

TEST_CASE("many parts") {
  check(7, 100, 50);
  check(8, 7, 5); // more parts than numbers in one
  checker::record("waits_for_eight", 8 / 2); // the last of them is that for the sum
  check(3, 1025, 1);
  for (int n : checker::own_sizes(1, 1025, 2000))
    check(2, n, n / 2);
  for (int parts : checker::own_sizes(1, 40, 50))
    check(parts, 40, 5);
}

TEST_CASE("others are at work, too") { check(3, 1000, 0, true); }

TEST_CASE("no part at all") {
  check(0, 100, 0);
  check(0, 100, 99);
}

TEST_CASE("a wave in noise") {
  checker::unless_failed_before();
  constexpr int cols = 70, window = 20, rows = 12;
  std::vector<unsigned> h_weights(window), numbers(cols + window);
  unsigned of_all = 0;
  for (int i = 0; i < window; ++i)
    of_all += h_weights[i] = std::min(i, window - 1 - i) + 1;
  const auto noise = checker::random_values<int>(cols + window, -8, 8);
  for (int i = 0; i < cols + window; ++i)
    numbers[i] = std::lround(100 + 3 * std::sin(i * 0.18)) + noise[i]; // 94 to 106 or so
  const Managed<unsigned> buffer(2 * window), sum(1), weights(h_weights);
  const checker::Streams own(1);
  std::vector<unsigned> smooth;
  checker::unobserved([&] {
    for (int at = 0; at < cols; ++at)
      smooth.push_back(weighted_sum(
          &numbers[at], 1, window, 0, buffer.data(), weights.data(), sum.data(), own.streams[0]));
  });
  std::vector<bool> cells;
  for (int row = rows; row > 0; --row)
    for (int col = 0; col < cols; ++col)
      cells.push_back(numbers[col + window / 2] > 90u + 20u * row / rows);
  for (int row = rows; row > 0; --row)
    for (int col = 0; col < cols; ++col)
      cells.push_back(smooth[col] / static_cast<double>(of_all) > 95 + 10.0 * row / rows);
  checker::note("Noise; and the wave that was in it, each column a weighted sum of yours:" +
                checker::picture(cells, cols));
}
