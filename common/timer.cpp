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
  std::vector<std::vector<double>> times(contenders.size());
  std::vector<double> spent(contenders.size());
  for (int rep = 0; rep < options.reps; ++rep)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      if (rep >= 3 && spent[i] > options.budget_ms)
        continue; // so slow that a few runs tell enough
      prepare(contenders[i]);
      hold_device();
      timer.start();
      contenders[i].work(contenders[i].context);
      timer.stop();
      times[i].push_back(timer.ms());
      spent[i] += times[i].back();
    }
  LAB_CHECK(cudaDeviceSynchronize());

  std::vector<Timing> timings;
  for (std::vector<double> &list : times)
    timings.push_back(summarize(std::move(list)));
  return timings;
}

} // namespace lab
