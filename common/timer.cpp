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

void Runs::add(double ms, double with_the_host_ms) {
  times_ms.push_back(ms);
  measured_ms += ms;
  spent_ms += with_the_host_ms;
}

bool Runs::want_more(const MeasureOptions &options) const {
  const std::size_t n = times_ms.size();
  if (n >= 3 && spent_ms > options.timeout_ms)
    return false; // so slow, or so noisy, that these have to do
  // The spread of all runs has to be found anew each time, so it is not looked at after each run.
  return n == 0 || n % static_cast<std::size_t>(options.reps) != 0 ||
         measured_ms < options.min_ms ||
         summarize(times_ms).spread_percent() > options.max_noise_percent;
}

Timing Runs::timing(const MeasureOptions &options) const {
  Timing timing = summarize(times_ms);
  timing.is_noisy = timing.spread_percent() > options.max_noise_percent;
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
  std::vector<Runs> all(contenders.size());
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Runs &runs = all[i];
      if (!runs.want_more(options))
        continue;
      ran = true;
      prepare(contenders[i]);
      const HostTimer host;
      hold_device();
      timer.start();
      contenders[i].work(contenders[i].context);
      timer.stop();
      const double ms = timer.ms();
      runs.add(ms, host.ms());
    }
  }
  LAB_CHECK(cudaDeviceSynchronize());

  std::vector<Timing> timings;
  for (const Runs &runs : all)
    timings.push_back(runs.timing(options));
  return timings;
}

Timing measure_one(const Contender &contender, const MeasureOptions &options) {
  return measure_interleaved({contender}, options)[0];
}

} // namespace lab
