#include "timeline_layout.hpp"

#include <algorithm>
#include <set>

#include "symbols.hpp"
#include "task_races.hpp"
#include "text.hpp"

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

/// A number for each engine that does one thing at a time, of each device.
enum class Engine { to_device, to_host, sends, receives, host_functions };
int number_of(Engine engine, int device) { return 8 * device + static_cast<int>(engine); }

class Layout {
public:
  Layout(const Recorded &recorded, const TimelineModel &model)
      : tasks_(recorded.tasks), model_(model) {
    std::vector<TimedTask> timed;
    for (const RecordedTask &entry : tasks_)
      timed.push_back(timed_task(entry));
    times_ = find_times(timed, with_calls(recorded.host), model.sms);
  }

  Timeline timeline() const {
    Timeline timeline;
    // What an event or a wait stands for: the bars before it.
    std::vector<std::set<size_t>> bars_of(tasks_.size());
    for (size_t i = 0; i < tasks_.size(); ++i) {
      const RecordedTask &entry = tasks_[i];
      const TaskTimes::Place &place = times_.tasks[i];
      std::set<size_t> before;
      for (const size_t earlier : entry.after)
        before.insert(bars_of[earlier].begin(), bars_of[earlier].end());
      const bool bar = place.done && is_work(entry.kind);
      bars_of[i] = bar ? std::set{timeline.bars.size()} : before;
      if (!bar)
        continue;
      const SourceLine where = symbols().line(place_of(entry.callers));
      timeline.bars.push_back(
          {entry.name,
           work_words(entry.kind),
           stream_words(entry.stream, entry.device),
           engine_words(entry),
           place.begin,
           place.end,
           entry.bytes,
           entry.kind == TaskKind::kernel ? static_cast<unsigned>(entry.blocks) : 0,
           entry.part,
           where.file,
           where.line,
           entry.device,
           {before.begin(), before.end()}});
    }
    for (const auto &[from, to, thread] : times_.host_waits) {
      const std::string lane = thread == 0 ? "host" : format("host thread %d", thread + 1);
      timeline.bars.push_back({"waits", "waits", lane, "host", from, to, 0, 0, {}, {}, 0});
    }
    for (const TimelineBar &bar : timeline.bars)
      timeline.total_us = std::max(timeline.total_us, bar.end_us);
    return timeline;
  }

private:
  /// With what the host needs for each call: one for all of a graph's launch.
  std::vector<HostStep> with_calls(std::vector<HostStep> host) const {
    uint64_t graph_launch = 0;
    for (HostStep &step : host) {
      if (step.what != HostStep::What::submits || !is_work(tasks_[step.task].kind))
        continue;
      const uint64_t its = tasks_[step.task].graph_launch;
      step.us = its != 0 && its == graph_launch ? 0 : model_.submit_us;
      graph_launch = its;
    }
    return host;
  }

  TimedTask timed_task(const RecordedTask &entry) const {
    TimedTask task;
    task.us = is_work(entry.kind) ? duration(entry) : 0;
    task.engines = engines_of(entry);
    task.sms = entry.kind == TaskKind::kernel ? sms_of(entry) : 0;
    task.device = entry.device;
    task.priority = entry.priority;
    for (const size_t before : entry.after)
      task.after.push_back({before});
    return task;
  }

  int sms_of(const RecordedTask &entry) const {
    return static_cast<int>(
        std::min<uint64_t>(std::max<uint64_t>(entry.blocks, 1), static_cast<uint64_t>(model_.sms)));
  }

  static std::vector<int> engines_of(const RecordedTask &entry) {
    if (entry.kind == TaskKind::host_function)
      return {number_of(Engine::host_functions, 0)};
    switch (is_work(entry.kind) ? entry.route : Route::none) {
    case Route::to_device:
      return {number_of(Engine::to_device, entry.to_device)};
    case Route::to_host:
      return {number_of(Engine::to_host, entry.from_device)};
    case Route::between_devices:
      if (entry.direct)
        return {number_of(Engine::sends, entry.from_device),
                number_of(Engine::receives, entry.to_device)};
      return {number_of(Engine::to_host, entry.from_device),
              number_of(Engine::to_device, entry.to_device)};
    default:
      return {};
    }
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
    if (entry.route == Route::to_device || entry.route == Route::to_host)
      return model_.copy_us +
             bytes / (per_us * (entry.pageable ? model_.pageable_gb_per_s : model_.link_gb_per_s));
    if (entry.route == Route::between_devices)
      return model_.copy_us +
             bytes / (per_us * (entry.direct ? model_.peer_gb_per_s : 0.7 * model_.link_gb_per_s));
    const double passes = entry.kind == TaskKind::copy ? 2 : 1; // it is read and written
    return model_.kernel_us + passes * bytes / (model_.memory_gb_per_s * per_us);
  }

  static std::string engine_words(const RecordedTask &entry) {
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

  const std::vector<RecordedTask> &tasks_;
  const TimelineModel &model_;
  TaskTimes times_;
};

} // namespace

Timeline lay_out(const Recorded &recorded, const TimelineModel &model) {
  return Layout(recorded, model).timeline();
}

} // namespace emu
