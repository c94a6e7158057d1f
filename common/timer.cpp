#include "common/timer.hpp"

#include <algorithm>
#include <chrono>

namespace lab {
namespace {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

} // namespace

EventTimer::EventTimer() {
  LAB_CHECK(cudaEventCreate(&start_));
  LAB_CHECK(cudaEventCreate(&stop_));
}

EventTimer::~EventTimer() {
  (void)cudaEventDestroy(start_);
  (void)cudaEventDestroy(stop_);
}

void EventTimer::start(cudaStream_t stream) { LAB_CHECK(cudaEventRecord(start_, stream)); }
void EventTimer::stop(cudaStream_t stream) { LAB_CHECK(cudaEventRecord(stop_, stream)); }

float EventTimer::ms() const {
  LAB_CHECK(cudaEventSynchronize(stop_));
  float milliseconds = 0.0f;
  LAB_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
  return milliseconds;
}

HostTimer::HostTimer() : start_seconds_(seconds_now()) {}
double HostTimer::ms() const { return 1e3 * (seconds_now() - start_seconds_); }

Timing summarize(std::vector<double> times_ms) {
  Timing timing;
  if (times_ms.empty())
    return timing;
  std::sort(times_ms.begin(), times_ms.end());
  const std::size_t n = times_ms.size();
  timing.median_ms = n % 2 ? times_ms[n / 2] : 0.5 * (times_ms[n / 2 - 1] + times_ms[n / 2]);
  timing.low_ms = times_ms[(n - 1) / 4];
  timing.high_ms = times_ms[n - 1 - (n - 1) / 4];
  timing.best_ms = times_ms.front();
  timing.reps = static_cast<int>(n);
  return timing;
}

namespace {

/// The runs of a contender.
struct Runs {
  std::vector<double> times_ms;
  double measured_ms = 0.0;
  double spent_ms = 0.0; ///< with what the host takes to launch a run and to wait for it

  bool is_over(const MeasureOptions &options) const {
    return times_ms.size() >= 3 && spent_ms > options.timeout_ms;
  }
  /// Looked at after each `reps` runs, as the spread of all of them has to be found anew.
  bool are_enough(const MeasureOptions &options) const {
    return !times_ms.empty() && times_ms.size() % static_cast<std::size_t>(options.reps) == 0 &&
           measured_ms >= options.min_ms &&
           summarize(times_ms).spread_percent() <= options.max_noise_percent;
  }
};

} // namespace

std::vector<Timing> measure_interleaved(const std::vector<Contender> &contenders,
                                        const MeasureOptions &options) {
  const auto prepare = [&](const Contender &contender) {
    if (contender.before)
      contender.before(contender.context);
    if (options.cold_l2)
      flush_l2();
  };
  for (int rep = 0; rep < options.warm_up; ++rep)
    for (const Contender &contender : contenders) {
      prepare(contender);
      contender.work(contender.context);
    }
  LAB_CHECK(cudaDeviceSynchronize());

  EventTimer timer;
  std::vector<Runs> all(contenders.size());
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Runs &runs = all[i];
      if (runs.are_enough(options) || runs.is_over(options))
        continue;
      ran = true;
      prepare(contenders[i]);
      const HostTimer host;
      hold_device();
      timer.start();
      contenders[i].work(contenders[i].context);
      timer.stop();
      runs.times_ms.push_back(timer.ms());
      runs.measured_ms += runs.times_ms.back();
      runs.spent_ms += host.ms();
    }
  }
  LAB_CHECK(cudaDeviceSynchronize());

  std::vector<Timing> timings;
  for (Runs &runs : all) {
    timings.push_back(summarize(std::move(runs.times_ms)));
    timings.back().is_noisy = timings.back().spread_percent() > options.max_noise_percent;
  }
  return timings;
}

} // namespace lab
