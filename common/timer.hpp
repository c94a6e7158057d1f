/// @file
/// Time on the device: events, repeated and interleaved measurements, a cold L2 on request.
#pragma once

#include "common/check.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace lab {

/// Two events around some work in a stream.
class EventTimer {
public:
  EventTimer();
  ~EventTimer();
  EventTimer(const EventTimer &) = delete;
  EventTimer &operator=(const EventTimer &) = delete;

  void start(cudaStream_t stream = nullptr);
  void stop(cudaStream_t stream = nullptr);
  /// Milliseconds between start and stop; waits until the work is done.
  float ms() const;

private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// Wall time on the host, for work that the host itself does.
class HostTimer {
public:
  HostTimer();
  double ms() const; ///< milliseconds since construction

private:
  double start_seconds_;
};

/// What repeated measurements showed.
struct Timing {
  double median_ms = 0.0;
  double low_ms = 0.0; ///< a quarter of the runs were at least this fast
  double high_ms = 0.0; ///< a quarter of the runs were at least this slow
  double best_ms = 0.0;
  int reps = 0;
  bool is_noisy = false; ///< the spread was above what MeasureOptions allows when the time was over

  /// Half the middle half's width, in percent of the median: 1.0 means "median ± 1 %".
  double spread_percent() const {
    return median_ms > 0.0 ? 50.0 * (high_ms - low_ms) / median_ms : 0.0;
  }
};

/// Median and quartiles of some times; all zero for none.
Timing summarize(std::vector<double> times_ms);

/// How to measure: until all of this is reached, or the time is over.
struct MeasureOptions {
  int reps = 21; ///< timed runs, or a multiple of them
  int warm_up = 3; ///< runs before them, not timed
  /// Evict the data from the L2 before every run, so that memory is measured and not the cache.
  bool cold_l2 = false;
  double min_ms = 0.0; ///< that the runs of a contender take together
  double max_noise_percent = std::numeric_limits<double>::infinity(); ///< that they may spread
  double timeout_ms = 1000.0; ///< beyond this a contender gets no more runs, but three at least
};

/// The runs of a contender: whether there are enough of them, and what they show.
struct Runs {
  std::vector<double> times_ms;
  double measured_ms = 0.0; ///< all of them together
  double spent_ms = 0.0; ///< with what the host takes to launch a run and to wait for it

  void add(double ms, double with_the_host_ms);
  bool want_more(const MeasureOptions &options) const;
  Timing timing(const MeasureOptions &options) const;
};

/// The median of what once() measures in so many turns, after some that warm up and do not count.
template <class Once> double median_of(int turns, int warm_up, Once &&once) {
  std::vector<double> figures;
  for (int turn = 0; turn < warm_up + turns; ++turn)
    if (const double figure = once(); turn >= warm_up)
      figures.push_back(figure);
  return summarize(figures).median_ms;
}

/// Milliseconds of `work` by the host's clock, until it returns.
template <class Work> double host_ms(Work &&work) {
  const HostTimer timer;
  work();
  return timer.ms();
}

/// Milliseconds between two events around what `work` asks of the default stream.
template <class Work> double event_ms(Work &&work) {
  EventTimer timer;
  timer.start();
  work();
  timer.stop();
  return static_cast<double>(timer.ms());
}

/// Something to be timed: work(context) enqueues it; before(context), if given, runs untimed first.
struct Contender {
  void (*work)(void *) = nullptr;
  void *context = nullptr;
  void (*before)(void *) = nullptr;
};

/// Times the contenders in turn, rep by rep, so that clocks and temperature treat them alike.
/// One Timing for each, in their order.
std::vector<Timing> measure_interleaved(const std::vector<Contender> &contenders,
                                        const MeasureOptions &options = {});

/// The same of one.
Timing measure_one(const Contender &contender, const MeasureOptions &options);

/// Times one piece of work: `measure([&] { kernel<<<grid, block>>>(…); })`.
template <class Work> Timing measure(Work &&work, const MeasureOptions &options = {}) {
  Contender contender;
  // The address of a callable travels as void*, and comes back as what it was.
  contender.context = const_cast<void *>(static_cast<const void *>(&work));
  contender.work = [](void *context) {
    (*static_cast<typename std::remove_reference<Work>::type *>(context))();
  };
  return measure_one(contender, options);
}

/// Reads as much memory as the L2 holds several times over: nothing else is left in it after that.
void flush_l2();

/// Keeps the device busy for some tens of microseconds, so that the host can enqueue what is timed
/// next before it starts: else a short measurement counts the time the host takes to launch.
void hold_device();

} // namespace lab
