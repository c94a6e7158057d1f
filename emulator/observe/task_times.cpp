#include "task_times.hpp"

#include <algorithm>
#include <limits>

namespace emu {

namespace {

/// Goes from one time at which something begins or ends to the next one.
class Clock {
public:
  Clock(const std::vector<TimedTask> &tasks, const std::vector<HostStep> &host, int sms)
      : tasks_(tasks), host_(host), sms_(sms), submitted_(tasks.size()) {
    times_.tasks.resize(tasks.size());
  }

  TaskTimes run() {
    do {
      do
        advance_host();
      while (begin_what_can());
    } while (go_on());
    times_.host_done = host_now_;
    return std::move(times_);
  }

private:
  using What = HostStep::What;
  struct Running {
    size_t task;
    double left; // us, were it alone
  };

  const TaskTimes::Place &place(size_t task) const { return times_.tasks[task]; }

  void advance_host() {
    for (; next_ < host_.size(); ++next_) {
      const auto &[what, index, us, thread] = host_[next_];
      if (!worked_) // once, however often it is looked whether the wait is over
        host_now_ += us;
      worked_ = true;
      if (what == What::submits) {
        submitted_[index] = host_now_;
        waiting_.push_back(index);
      } else if (!wait(what, index, thread)) {
        return;
      }
      worked_ = false;
    }
  }

  bool wait(What what, size_t index, int thread) {
    double until = host_now_;
    if (what == What::waits) {
      if (!place(index).done)
        return false;
      until = std::max(until, place(index).end);
    } else {
      const bool all = what == What::waits_for_all;
      const int device = static_cast<int>(index);
      const auto counts = [&](size_t task) { return all || tasks_[task].device == device; };
      const auto runs = [&](const Running &running) { return counts(running.task); };
      if (std::any_of(waiting_.begin(), waiting_.end(), counts) ||
          std::any_of(running_.begin(), running_.end(), runs))
        return false;
      for (size_t i = 0; i < tasks_.size(); ++i)
        if (place(i).done && counts(i))
          until = std::max(until, place(i).end);
    }
    if (until > host_now_)
      times_.host_waits.push_back({host_now_, until, thread});
    host_now_ = until;
    return true;
  }

  /// When all that it has to wait for is over; never, where that is not known yet.
  double ready(size_t task) const {
    double at = submitted_[task];
    for (const auto &[before, lag_us] : tasks_[task].after) {
      if (!place(before).done)
        return std::numeric_limits<double>::infinity();
      at = std::max(at, place(before).end + lag_us);
    }
    return at;
  }

  bool has_room(const TimedTask &task) const {
    int sms = task.sms;
    for (const Running &other : running_) {
      const TimedTask &runs = tasks_[other.task];
      sms += runs.device == task.device ? runs.sms : 0;
      for (const int engine : task.engines)
        if (std::find(runs.engines.begin(), runs.engines.end(), engine) != runs.engines.end())
          return false;
    }
    return task.sms == 0 || sms <= sms_ || sms == task.sms;
  }

  /// Begins the tasks that can begin now. \return whether one of them has ended, too, as it takes no time
  bool begin_what_can() {
    std::stable_sort(waiting_.begin(), waiting_.end(), [&](size_t a, size_t b) {
      return tasks_[a].priority < tasks_[b].priority;
    });
    bool ended = false;
    std::erase_if(waiting_, [&](size_t index) {
      const double at = ready(index);
      if (at > now_ || !has_room(tasks_[index]))
        return false;
      if (tasks_[index].us > 0) {
        times_.tasks[index].begin = now_;
        running_.push_back({index, tasks_[index].us});
      } else {
        times_.tasks[index] = {at, at, true};
        ended = true;
      }
      return true;
    });
    return ended;
  }

  std::map<int, double> demand() const {
    std::map<int, double> wanted; // of each channel
    for (const Running &one : running_)
      for (const auto &[channel, part] : tasks_[one.task].channels)
        wanted[channel] += part;
    return wanted;
  }

  /// Goes to the next time at which something ends or becomes ready. \return whether there is one
  bool go_on() {
    const std::map<int, double> wanted = demand();
    const auto slower = [&](const Running &one) {
      double times = 1;
      for (const auto &[channel, part] : tasks_[one.task].channels)
        times = std::max(times, wanted.at(channel));
      return times;
    };
    double next = std::numeric_limits<double>::infinity();
    for (const Running &one : running_)
      next = std::min(next, now_ + one.left * slower(one));
    for (const size_t task : waiting_)
      if (const double at = ready(task); at > now_)
        next = std::min(next, at);
    if (next == std::numeric_limits<double>::infinity())
      return false;
    std::erase_if(running_, [&](Running &one) {
      const double times = slower(one);
      const bool ends = now_ + one.left * times <= next;
      one.left -= (next - now_) / times;
      if (ends) {
        times_.tasks[one.task].end = next;
        times_.tasks[one.task].done = true;
      }
      return ends;
    });
    now_ = next;
    return true;
  }

  const std::vector<TimedTask> &tasks_;
  const std::vector<HostStep> &host_;
  int sms_;
  std::vector<double> submitted_; // when
  std::vector<size_t> waiting_; // submitted, and not begun
  std::vector<Running> running_;
  double now_ = 0, host_now_ = 0;
  size_t next_ = 0; // of the host's steps
  bool worked_ = false; // the host has, for that step
  TaskTimes times_;
};

} // namespace

TaskTimes
find_times(const std::vector<TimedTask> &tasks, const std::vector<HostStep> &host, int sms) {
  return Clock(tasks, host, sms).run();
}

} // namespace emu
