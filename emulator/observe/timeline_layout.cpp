#include "timeline_layout.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "symbols.hpp"
#include "task_races.hpp"

namespace emu {

namespace {

/// What takes time, and is drawn; "" for what only orders.
const char *work_words(TaskKind kind) {
  switch (kind) {
  case TaskKind::kernel:
    return "kernel";
  case TaskKind::copy:
    return "copy";
  case TaskKind::set:
    return "set";
  case TaskKind::host_function:
    return "host_function";
  case TaskKind::prefetch:
    return "prefetch";
  case TaskKind::collective:
    return "collective";
  default:
    return "";
  }
}
bool is_work(TaskKind kind) { return *work_words(kind) != '\0'; }

/// Finds a time for everything: the host's calls in their order, and of the tasks whose turn it
/// could be, always the one that can begin first.
class Layout {
public:
  Layout(const Recorded &recorded, const TimelineModel &model)
      : tasks_(recorded.tasks), host_(recorded.host), model_(model), placed_(tasks_.size()) {}

  Timeline run() {
    do
      advance_host();
    while (place_one());
    finish();
    return std::move(timeline_);
  }

private:
  using What = HostStep::What;
  struct Place {
    double submitted = 0, begin = 0, end = 0;
    bool done = false;
  };
  struct Running {
    double begin, end;
    int sms, device;
  };
  /// When each of a device's engines is free.
  struct Engines {
    double to_device = 0, to_host = 0, sends = 0, receives = 0;
  };

  void advance_host() {
    for (; next_ < host_.size(); ++next_) {
      const auto &[what, index] = host_[next_];
      double until = now_;
      if (what == What::submits) {
        const RecordedTask &entry = tasks_[index];
        const bool paid = entry.graph_launch != 0 && entry.graph_launch == graph_launch_;
        if (is_work(entry.kind) && !paid)
          now_ += model_.submit_us;
        if (is_work(entry.kind))
          graph_launch_ = entry.graph_launch;
        placed_[index].submitted = now_;
        waiting_.push_back(index);
        continue;
      }
      if (what == What::waits) {
        if (!placed_[index].done)
          return;
        until = placed_[index].end;
      } else {
        // The device, or all of them.
        const bool all = what == What::waits_for_all;
        const int device = static_cast<int>(index);
        const auto counts = [&, all, device](size_t entry) { // clang 14 captures no bindings
          return all || tasks_[entry].device == device;
        };
        if (std::any_of(waiting_.begin(), waiting_.end(), counts))
          return;
        for (size_t i = 0; i < placed_.size(); ++i)
          if (placed_[i].done && counts(i))
            until = std::max(until, placed_[i].end);
      }
      if (until > now_)
        timeline_.bars.push_back({"waits", "waits", "host", "host", now_, until, 0, 0, {}, {}, 0});
      now_ = std::max(now_, until);
    }
  }

  bool place_one() {
    size_t best = waiting_.size();
    double best_begin = std::numeric_limits<double>::max();
    for (size_t i = 0; i < waiting_.size(); ++i) {
      const RecordedTask &entry = tasks_[waiting_[i]];
      double ready = placed_[waiting_[i]].submitted;
      bool possible = true;
      for (const size_t before : entry.after) {
        possible = possible && placed_[before].done;
        ready = std::max(ready, placed_[before].end);
      }
      if (!possible)
        continue;
      const double begin = earliest(entry, ready);
      const bool first = begin < best_begin ||
                         (begin == best_begin && entry.priority < tasks_[waiting_[best]].priority);
      if (first) {
        best = i;
        best_begin = begin;
      }
    }
    if (best == waiting_.size())
      return false;
    const size_t index = waiting_[best];
    waiting_.erase(waiting_.begin() + static_cast<long>(best));
    occupy(tasks_[index], placed_[index], best_begin);
    return true;
  }

  int sms_of(const RecordedTask &entry) const {
    return static_cast<int>(
        std::min<uint64_t>(std::max<uint64_t>(entry.blocks, 1), static_cast<uint64_t>(model_.sms)));
  }

  /// The engines that it needs which do one thing at a time.
  std::vector<double *> engines_of(const RecordedTask &entry) {
    if (entry.kind == TaskKind::host_function)
      return {&host_functions_};
    switch (entry.route) {
    case Route::to_device:
      return {&engines_[entry.to_device].to_device};
    case Route::to_host:
      return {&engines_[entry.from_device].to_host};
    case Route::between_devices:
      if (entry.direct)
        return {&engines_[entry.from_device].sends, &engines_[entry.to_device].receives};
      return {&engines_[entry.from_device].to_host, &engines_[entry.to_device].to_device};
    default:
      return {};
    }
  }

  double earliest(const RecordedTask &entry, double ready) {
    if (!is_work(entry.kind))
      return ready;
    for (const double *free_at : engines_of(entry))
      ready = std::max(ready, *free_at);
    if (entry.kind != TaskKind::kernel)
      return ready;
    std::vector<double> times = {ready};
    for (const Running &kernel : running_)
      if (kernel.end > ready && kernel.device == entry.device)
        times.push_back(kernel.end);
    std::sort(times.begin(), times.end());
    for (const double time : times) {
      int used = sms_of(entry);
      for (const Running &kernel : running_)
        used += kernel.end > time && kernel.device == entry.device ? kernel.sms : 0;
      if (used <= model_.sms)
        return time;
    }
    return times.back();
  }

  double duration(const RecordedTask &entry) const {
    const auto bytes = static_cast<double>(entry.bytes);
    const double per_us = 1e3; // 10^9 a second are 10^3 a microsecond
    switch (entry.kind) {
    case TaskKind::kernel: {
      const double share = static_cast<double>(sms_of(entry)) / model_.sms;
      return model_.kernel_us +
             std::max(
                 {bytes / (model_.memory_gb_per_s * per_us * std::min(1.0, 4 * share)),
                  static_cast<double>(entry.over_links) / (model_.peer_gb_per_s * per_us),
                  static_cast<double>(entry.steps) / (model_.block_rate * per_us * sms_of(entry))});
    }
    case TaskKind::host_function:
      return model_.host_function_us;
    case TaskKind::collective:
      return model_.collective_us + bytes / (per_us * model_.peer_gb_per_s);
    default:
      break;
    }
    if (!is_work(entry.kind))
      return 0;
    if (entry.route == Route::to_device || entry.route == Route::to_host)
      return model_.copy_us +
             bytes / (per_us * (entry.pageable ? model_.pageable_gb_per_s : model_.link_gb_per_s));
    if (entry.route == Route::between_devices)
      return model_.copy_us +
             bytes / (per_us * (entry.direct ? model_.peer_gb_per_s : 0.7 * model_.link_gb_per_s));
    const double passes = entry.kind == TaskKind::copy ? 2 : 1; // it is read and written
    return model_.kernel_us + passes * bytes / (model_.memory_gb_per_s * per_us);
  }

  void occupy(const RecordedTask &entry, Place &place, double begin) {
    place = {place.submitted, begin, begin + duration(entry), true};
    if (!is_work(entry.kind))
      return;
    for (double *free_at : engines_of(entry))
      *free_at = place.end;
    if (entry.kind == TaskKind::kernel)
      running_.push_back({place.begin, place.end, sms_of(entry), entry.device});
    std::erase_if(running_, [&](const Running &kernel) { return kernel.end <= begin; });
  }

  std::string engine_words(const RecordedTask &entry) const {
    if (entry.kind == TaskKind::host_function)
      return "host";
    if (entry.kind == TaskKind::kernel)
      return "sms";
    if (entry.kind == TaskKind::collective)
      return "link";
    if (entry.route == Route::between_devices)
      return entry.direct ? "link" : "through_host";
    return entry.route == Route::to_device ? "to_device"
           : entry.route == Route::to_host ? "to_host"
                                           : "memory";
  }

  void finish() {
    std::vector<TimelineBar> waits = std::move(timeline_.bars);
    timeline_.bars.clear();
    // What an event or a wait stands for: the bars before it.
    std::vector<std::set<size_t>> bars_of(tasks_.size());
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const RecordedTask &entry = tasks_[i];
      std::set<size_t> before;
      for (const size_t earlier : entry.after)
        before.insert(bars_of[earlier].begin(), bars_of[earlier].end());
      const bool bar = placed_[i].done && is_work(entry.kind);
      bars_of[i] = bar ? std::set{timeline_.bars.size()} : before;
      if (!bar)
        continue;
      const SourceLine where = symbols().line(place_of(entry.callers));
      timeline_.bars.push_back(
          {entry.name,
           work_words(entry.kind),
           stream_words(entry.stream, entry.device),
           engine_words(entry),
           placed_[i].begin,
           placed_[i].end,
           entry.bytes,
           entry.kind == TaskKind::kernel ? static_cast<unsigned>(entry.blocks) : 0,
           entry.part,
           where.file,
           where.line,
           entry.device,
           {before.begin(), before.end()}});
    }
    timeline_.bars.insert(timeline_.bars.end(), waits.begin(), waits.end());
    for (const TimelineBar &bar : timeline_.bars)
      timeline_.total_us = std::max(timeline_.total_us, bar.end_us);
  }

  const std::vector<RecordedTask> &tasks_;
  const std::vector<HostStep> &host_;
  const TimelineModel &model_;
  std::vector<Place> placed_;
  std::vector<size_t> waiting_; // submitted, and not placed yet
  std::vector<Running> running_; // kernels
  std::map<int, Engines> engines_; // by device
  double host_functions_ = 0; // when their thread is free
  double now_ = 0; // the host's time
  size_t next_ = 0; // of the host's steps
  uint64_t graph_launch_ = 0;
  Timeline timeline_;
};

} // namespace

Timeline lay_out(const Recorded &recorded, const TimelineModel &model) {
  return Layout(recorded, model).run();
}

} // namespace emu
