// Checks borrowed.cu: the results of several sets of streams, that nobody waits, that a hike's slopes are made beside the
// kernels of the hike before, which run side by side, and that no memory is left behind.
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

cudaError_t steepest(const int *d_heights,
                     int n,
                     int *d_climb,
                     int *d_descent,
                     cudaStream_t first,
                     cudaStream_t up,
                     cudaStream_t down,
                     cudaEvent_t mark);

namespace {

constexpr double kernel_us = 100;

/// When the kernels of one observation ran, each as long as any other.
struct Kernels {
  emu::Timeline times = *checker::timeline(checker::plain_model(kernel_us));
  double lengths = 0; ///< of a kernel, until the last one is done
  std::set<std::string> lanes;

  Kernels() {
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel") {
        lengths = std::max(lengths, std::round(bar.end_us / kernel_us));
        lanes.insert(bar.lane);
      }
  }
  /// Whether a stream's first kernel waits for one of another call.
  bool first_held_up() const {
    int kernel = 0;
    double end_us = 0; // of the first kernel of the call before
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel" && kernel++ % 3 == 0) {
        if (bar.begin_us > end_us + 1)
          return true;
        end_us = bar.end_us;
      }
    return false;
  }
};

std::optional<Kernels> check(int n, int sets, int calls) {
  const checker::Streams own(3 * sets, sets);
  if (sets == 1) {
    checker::name_stream(own.streams[0], "`first`");
    checker::name_stream(own.streams[1], "`up`");
    checker::name_stream(own.streams[2], "`down`");
  }
  std::vector<lab::DeviceBuffer<int>> d_heights;
  std::vector<int> expected(2 * sets, 0); // climb and descent of each
  const auto d_results = checker::on_device(expected);
  for (int k = 0; k < sets; ++k) {
    const auto heights = checker::random_values<int>(n, -1'000'000'000, 1'000'000'000);
    d_heights.push_back(checker::on_device(heights));
    for (int i = 0; i + 1 < n; ++i) {
      const int slope = heights[i + 1] - heights[i];
      expected[2 * k] = std::max(expected[2 * k], slope);
      expected[2 * k + 1] = std::max(expected[2 * k + 1], -slope);
    }
  }
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::elements(n, "height") + " in " +
                           (sets == 1 ? "one set" : "each of " + checker::counted(sets, "set")) +
                           " of streams" +
                           (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  checker::perhaps("Two streams look at the slopes, and neither knows when the other is done. To "
                   "whoever gives them back somebody has to say so",
                   "stream_race",
                   "cudaFreeAsync");
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late(own.streams, 200);
    for (int call = 0; call < calls; ++call)
      for (int k = 0; k < sets; ++k)
        LAB_CHECK(steepest(d_heights[k].data(),
                           n,
                           d_results.data() + 2 * k,
                           d_results.data() + 2 * k + 1,
                           own.streams[3 * k],
                           own.streams[3 * k + 1],
                           own.streams[3 * k + 2],
                           own.events[k]));
    LAB_CHECK_LAUNCH();
    returned.here();
    free_to_go = late.let_go();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  const auto got = d_results.download();
  bool of_these = got != expected; // climb and descent
  for (int k = 0; k < 2 * sets; ++k)
    of_these = of_these && (got[k] == expected[k] || got[k] == expected[k ^ 1]);
  checker::diagnose("other_sign",
                    of_these,
                    what + ": a descent stands in the place of a climb, or the other way round. "
                           "find_steepest() looks for a climb with sign = 1, and for a descent "
                           "with -1");
  checker::expect_same("results of " + what, got, expected);
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
    kernels.emplace();
    free_to_go = returned.us(kernels->times) <= 0;
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

TEST_CASE("one set of streams") {
  for (int n : {2, 3, 33, 1025, 4099})
    check(n, 1, 1);
  for (int n : checker::own_sizes(2, 4099, 5000))
    check(n, 1, 1);
}

TEST_CASE("nine hikes") {
  checker::unless_failed_before();
  if (const auto kernels = check(1000, 1, 9))
    checker::record("lengths_of_nine", kernels->lengths);
}

TEST_CASE("hike after hike") {
  checker::unless_failed_before();
  const auto kernels = check(1000, 1, 5);
  if (!kernels)
    return;
  const std::string right = "five hikes: the results are right, but ";
  checker::expect(kernels->lanes.size() > 2 || kernels->lengths <= 6,
                  "one_stream",
                  right + "kernels of a hike are in one stream, and come one after another. The "
                          "second is to run in `up`, and the third in `down`");
  const bool held_up = kernels->first_held_up();
  checker::expect_at_most(
      "kernel_lengths",
      kernels->lengths,
      6,
      held_up ? "first_held_up" : "in_turn",
      right +
          (held_up
               ? "the slopes of a hike are made only when others are done with those of the "
                 "hike before. For whom does `first` wait, and does it need anything of theirs?"
               : "the steepest climb and the steepest descent are looked for one after the other. "
                 "Both may begin when the slopes are there. For what does the later one wait, and "
                 "could it do so later?"));
  checker::note("The first three of five hikes, a, b and c, a letter for each kernel of yours:" +
                checker::rows_of(kernels->times,
                                 kernel_us / 8,
                                 {"first", "up", "down"},
                                 [kernel = 0](const emu::TimelineBar &bar) mutable {
                                   const int hike = bar.kind == "kernel" ? kernel++ / 3 : 3;
                                   return hike < 3 ? static_cast<char>('a' + hike) : '\0';
                                 }));
}

TEST_CASE("a hike") {
  checker::unless_failed_before();
  std::vector<int> heights{3};
  for (const int slope : checker::random_values<int>(69, -3, 3))
    heights.push_back(std::clamp(heights.back() + slope, 1, 9));
  heights[31] = heights[30] + 5; // what there is to be found
  heights[57] = heights[56] - 6;
  const checker::Streams own(3, 1);
  const auto d_heights = checker::on_device(heights),
             d_found = checker::on_device(std::vector<int>(2));
  checker::unobserved([&] {
    LAB_CHECK(steepest(d_heights.data(),
                       static_cast<int>(heights.size()),
                       d_found.data(),
                       d_found.data() + 1,
                       own.streams[0],
                       own.streams[1],
                       own.streams[2],
                       own.events[0]));
    LAB_CHECK(cudaDeviceSynchronize());
  });
  std::string text;
  for (int height = *std::ranges::max_element(heights); height > std::min(0, heights[57]);
       --height) {
    text += "\n  ";
    for (std::size_t at = 0; at < heights.size(); ++at) {
      const int slope = at > 0 ? heights[at] - heights[at - 1] : 0;
      text += heights[at] < height                                                        ? ' '
              : at > 0 && slope == d_found.at(0)                                          ? '/'
              : at + 1 < heights.size() && heights[at] - heights[at + 1] == d_found.at(1) ? '\\'
                                                                                          : '#';
    }
  }
  checker::note("A hike with its steepest climb (/) and its steepest descent (\\), as your streams "
                "have found them:" +
                text);
}

TEST_CASE("many sets") {
  checker::unless_failed_before();
  check(33, 12, 2);
  check(10'000, 1, 2);
}

TEST_CASE("three sets at a time") {
  checker::unless_failed_before();
  const auto kernels = check(5000, 3, 1);
  if (kernels)
    checker::expect_at_least(
        "kernels_at_once",
        checker::most_at_once(kernels->times),
        3,
        "one_after_the_other",
        "the results are right, but the three sets never have a kernel each at the same "
        "time. Streams and event of a set are its own: it has to wait for no other set");
}
