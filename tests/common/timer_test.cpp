#include "common/timer.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

std::string events;

} // namespace

TEST_CASE("median and quartiles") {
  CHECK(lab::summarize({}).reps == 0);
  CHECK(lab::summarize({}).spread_percent() == 0.0);
  CHECK(lab::summarize({3.0}).median_ms == 3.0);
  CHECK(lab::summarize({3.0, 1.0, 2.0}).median_ms == 2.0);
  CHECK(lab::summarize({4.0, 1.0, 2.0, 3.0}).median_ms == 2.5);
  const lab::Timing timing = lab::summarize({5.0, 1.0, 4.0, 2.0, 100.0});
  CHECK(timing.best_ms == 1.0);
  CHECK(timing.low_ms == 2.0);
  CHECK(timing.high_ms == 5.0);
  CHECK(timing.reps == 5);
}

TEST_CASE("contenders take turns, each after its own preparation, warm-up first") {
  events.clear();
  lab::Contender a{[](void *) { events += 'a'; }, nullptr, [](void *) { events += '-'; }};
  lab::Contender b{[](void *) { events += 'b'; }, nullptr, nullptr};
  const auto timings =
      lab::measure_interleaved({a, b}, {.reps = 2, .warm_up = 1, .cold_l2 = false});
  CHECK(events == "-ab-ab-ab");
  CHECK(timings.size() == 2);
  CHECK(timings[0].reps == 2);
}

TEST_CASE("a slow contender gets three runs, the others all of theirs") {
  const lab::Contender slow{[](void *) {}, nullptr, nullptr};
  const auto timings = lab::measure_interleaved(
      {slow}, {.reps = 9, .warm_up = 0, .cold_l2 = false, .timeout_ms = -1.0});
  CHECK(timings[0].reps == 3);
}

TEST_CASE("runs go on for a least time and until they spread little, but not for ever") {
  // How many runs there are where the i-th takes ms(i), the host a tenth more.
  const auto runs_of = [](double (*ms)(std::size_t), const lab::MeasureOptions &options) {
    lab::Runs runs;
    while (runs.want_more(options))
      runs.add(ms(runs.times_ms.size()), 1.1 * ms(runs.times_ms.size()));
    return runs.timing(options);
  };
  const auto steady = [](std::size_t) { return 1.0; };
  const auto settles = [](std::size_t i) { return i < 4 && i % 2 == 0 ? 4.0 : 1.0; };
  const auto wavers = [](std::size_t i) { return i % 2 == 0 ? 4.0 : 1.0; };
  CHECK(runs_of(steady, {.reps = 4}).reps == 4);
  CHECK(runs_of(steady, {.reps = 4, .min_ms = 9.0}).reps == 12);
  CHECK(runs_of(steady, {.reps = 4, .min_ms = 9.0, .timeout_ms = 5.0}).reps == 5);
  CHECK(runs_of(wavers, {.reps = 4}).reps == 4);
  const lab::Timing settled = runs_of(settles, {.reps = 4, .max_noise_percent = 30.0});
  CHECK(settled.reps == 12);
  CHECK_FALSE(settled.is_noisy);
  const lab::Timing noisy =
      runs_of(wavers, {.reps = 4, .max_noise_percent = 30.0, .timeout_ms = 100.0});
  CHECK(noisy.reps == 37);
  CHECK(noisy.is_noisy);
  const lab::Timing measured = lab::measure([] {}, {.reps = 2, .warm_up = 0, .min_ms = 0.1});
  CHECK(measured.reps >= 2);
}

TEST_CASE("measure runs its callable, and the L2 can be flushed in between") {
  int runs = 0;
  const lab::Timing timing =
      lab::measure([&] { ++runs; }, {.reps = 4, .warm_up = 2, .cold_l2 = true});
  CHECK(runs == 6);
  CHECK(timing.reps == 4);
  CHECK(timing.median_ms >= 0.0);
}

TEST_CASE("a host timer goes forward") {
  const lab::HostTimer timer;
  volatile double x = 1.0;
  for (int i = 0; i < 100000; ++i)
    x = x * 1.0000001;
  CHECK(timer.ms() > 0.0);
}
