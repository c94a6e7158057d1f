// Checks borrowed.cu: the results of several pairs of streams, that nobody waits, that a call's first kernel runs beside
// the second one of the call before, and that no memory is left behind.
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>

cudaError_t largest_difference(const int *d_in,
                               int n,
                               int *d_result,
                               cudaStream_t first,
                               cudaStream_t second,
                               cudaEvent_t made);

namespace {

/// When the kernels of one observation ran, each as long as any other.
struct Kernels {
  int at_once; ///< at most
  double lengths; ///< of a kernel, until the last one is done
  std::size_t streams;
  std::string chart; ///< a row for each stream, a letter for each call, and how many have memory
};

std::string chart_of(const emu::Timeline &times, double kernel_us) {
  std::vector<std::string> lanes, rows;
  std::vector<int> borrowed;
  for (const emu::TimelineBar &bar : times.bars) {
    if (bar.kind != "kernel")
      continue;
    const auto lane = std::ranges::find(lanes, bar.lane) - lanes.begin();
    if (lane == static_cast<long>(lanes.size())) {
      lanes.push_back(bar.lane);
      rows.emplace_back();
    }
    const auto begin = static_cast<std::size_t>(std::lround(bar.begin_us / kernel_us)),
               end = static_cast<std::size_t>(std::lround(bar.end_us / kernel_us));
    std::string &row = rows[lane];
    const auto call =
        std::ranges::count_if(row, [](char c) { return c != ' '; }) / 8; // 8 characters each
    row.resize(std::max(row.size(), 8 * begin), ' ');
    row.append(8 * (end - begin), static_cast<char>('a' + call));
    borrowed.resize(std::max(borrowed.size(), end), 0);
    for (std::size_t at = begin; at < end; ++at)
      ++borrowed[at];
  }
  std::string text;
  for (std::size_t lane = 0; lane < rows.size(); ++lane)
    text += (lane == 0 ? "\n  first     " : "\n  second    ") + rows[lane];
  text += "\n  borrowed  ";
  for (const int count : borrowed)
    text += std::to_string(count) + std::string(7, ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::optional<Kernels> check(int n, int pairs, int calls) {
  const checker::Streams own(2 * pairs, pairs);
  if (pairs == 1) {
    checker::name_stream(own.streams[0], "`first`");
    checker::name_stream(own.streams[1], "`second`");
  }
  std::vector<lab::DeviceBuffer<int>> d_in;
  std::vector<int> expected(pairs, 0);
  const auto d_results = checker::on_device(std::vector<int>(pairs, 0));
  for (int k = 0; k < pairs; ++k) {
    const auto h_in = checker::random_values<int>(n, -1'000'000'000, 1'000'000'000);
    d_in.push_back(checker::on_device(h_in));
    for (int i = 0; i + 1 < n; ++i)
      expected[k] = std::max(expected[k], std::abs(h_in[i + 1] - h_in[i]));
  }
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what =
      checker::elements(n, "number") + " in " +
      (pairs == 1 ? "one pair" : "each of " + checker::counted(pairs, "pair")) + " of streams" +
      (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late(own.streams, 200);
    for (int call = 0; call < calls; ++call)
      for (int k = 0; k < pairs; ++k)
        LAB_CHECK(largest_difference(d_in[k].data(),
                                     n,
                                     d_results.data() + k,
                                     own.streams[2 * k],
                                     own.streams[2 * k + 1],
                                     own.events[k]));
    LAB_CHECK_LAUNCH();
    returned.here();
    free_to_go = late.let_go();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect_same("results of " + what, d_results.download(), expected);
  std::optional<Kernels> kernels;
  if (seen) {
    checker::expect(
        std::none_of(seen->hazards.begin(),
                     seen->hazards.end(),
                     [](const emu::Hazard &hazard) {
                       return hazard.kind == "leak" && hazard.message.ends_with("never freed");
                     }),
        "never_returned",
        what + ": the results are right, but memory is left behind: each call has to give back "
               "what it has borrowed. One buffer kept for all would be in use by two calls at a "
               "time");
    constexpr double kernel_us = 100;
    const auto times = *checker::timeline(checker::plain_model(kernel_us));
    free_to_go = returned.us(times) <= 0;
    double end_us = 0;
    std::set<std::string> lanes;
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel") {
        end_us = std::max(end_us, bar.end_us);
        lanes.insert(bar.lane);
      }
    kernels = {checker::most_at_once(times),
               std::round(end_us / kernel_us),
               lanes.size(),
               chart_of(times, kernel_us)};
    if (n >= 4000) // 4 blocks of 128 threads are 16 warps
      checker::expect_lanes(*seen, emu::Access::global_load, 24.0);
  }
  checker::expect(free_to_go,
                  "host_waits",
                  what +
                      ": the results are right, but the host waits until the device has nothing "
                      "to do. cudaFree() does so, and each call that has Synchronize in its name");
  return kernels;
}

} // namespace

TEST_CASE("one pair of streams") {
  for (int n : {2, 3, 33, 1025, 4099})
    check(n, 1, 1);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  const auto kernels = check(1000, 1, 3);
  if (!kernels)
    return;
  checker::expect(
      !(kernels->streams == 1 && kernels->lengths > 4),
      "one_stream",
      "three calls: the results are right, but both kernels of a call are in one "
      "stream, and the next call's kernels come behind them. The second kernel is to run "
      "in `second`");
  checker::expect_at_most(
      "kernel_lengths",
      kernels->lengths,
      4,
      "first_held_up",
      "three calls: the results are right, but the first kernel of a call waits until the second "
      "one of the call before is done. Memory that is taken in the stream which first works with "
      "it, "
      "and given back in the one which does so last, makes `first` wait for nobody");
  checker::note(
      "Three calls of yours, a, b and c, on two benches, and how many buffers are borrowed "
      "meanwhile:" +
      kernels->chart);
}

TEST_CASE("many pairs") {
  checker::unless_failed_before();
  check(33, 20, 2);
}

TEST_CASE("three pairs at a time") {
  const auto kernels = check(5000, 3, 1);
  if (kernels)
    checker::expect_at_least(
        "kernels_at_once",
        kernels->at_once,
        3,
        "one_after_the_other",
        "the results are right, but the three pairs never have a kernel each at the same time");
}
