#include "steps.hpp"

#include "emulator/observe/task_times.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace model {
namespace {

/// What of a task takes longest, and so what it counts as.
enum class Activity : uint8_t { none, kernels, to_device, to_host, host_link, links, pages, other };
struct ActivityWords {
  Activity activity;
  const char *key, *phrase;
};
constexpr ActivityWords activity_words[] = {
    {Activity::kernels, "kernels", "kernels"},
    {Activity::to_device, "to_device", "copies to the device"},
    {Activity::to_host, "to_host", "copies to the host"},
    {Activity::host_link, "host_link", "kernels that reach over the link to the host"},
    {Activity::links, "links", "what crosses the links between devices"},
    {Activity::pages, "pages", "pages that move"},
};

// What of a device's tasks share. An engine does one thing at a time; a channel may be filled by several.
enum Engine { to_device, to_host, sends, receives, host_functions };
enum Channel { host_in, host_out, host_both, link_in, link_out, link_both };
int of_device(int what, int device) { return 8 * device + what; }

bool is_work(const TaskTrace &task) { return task.work != Work::nothing; }

/// Times of a part's tasks, each for itself.
class TimedPart {
public:
  std::vector<Activity> activities;
  std::vector<emu::TimedTask> tasks;

  TimedPart(const PartTrace &part, const std::vector<Prediction> &kernels, const Device &d)
      : activities(part.tasks.size()), part_(part), kernels_(kernels), d_(d), t_(*d.transfers) {
    for (size_t i = 0; i < part.tasks.size(); ++i)
      tasks.push_back(timed(i));
    add_order();
  }

private:
  static double us_of(double bytes, double gbps) { return bytes / (gbps * 1e3); }

  emu::TimedTask timed(size_t index) {
    const TaskTrace &task = part_.tasks[index];
    emu::TimedTask result;
    result.device = task.device;
    result.priority = task.priority;
    Activity &activity = activities[index];
    switch (task.work) {
    case Work::nothing:
      return result;
    case Work::kernel:
      activity = add_kernel(result, task);
      break;
    case Work::to_device:
      add_host_copy(result, task, task.to, true);
      activity = Activity::to_device;
      break;
    case Work::to_host:
      add_host_copy(result, task, task.from, false);
      activity = Activity::to_host;
      break;
    case Work::between:
      add_peer_copy(result, task);
      activity = Activity::links;
      break;
    case Work::set:
    case Work::in_device: // read and written
      result.us = us_of((task.work == Work::set ? 1 : 2) * task.bytes, d_.copy_gbps);
      activity = Activity::kernels;
      break;
    case Work::prefetch_to_device:
    case Work::prefetch_to_host:
      add_prefetch(result, task);
      activity = Activity::pages;
      break;
    case Work::host_function:
      result.us = t_.host_call_us;
      result.engines = {of_device(host_functions, 0)};
      activity = Activity::other;
      break;
    case Work::collective:
      result.us = t_.collective_us + us_of(task.bytes, t_.collective);
      result.channels = {{of_device(link_in, task.device), 1},
                         {of_device(link_out, task.device), 1}};
      activity = Activity::links;
      break;
    }
    result.us += t_.next_us;
    return result;
  }

  void add_host_copy(emu::TimedTask &result, const TaskTrace &task, int device, bool in) const {
    const double pageable = in ? t_.pageable_to_device : t_.pageable_to_host;
    const double gbps = task.pageable ? pageable : t_.link;
    result.us = us_of(task.bytes, gbps);
    result.engines = {of_device(in ? to_device : to_host, device)};
    result.channels = {{of_device(in ? host_in : host_out, device), gbps / t_.link},
                       {of_device(host_both, device), gbps / t_.link_both}};
  }

  void add_peer_copy(emu::TimedTask &result, const TaskTrace &task) const {
    if (!task.direct) {
      result.us = us_of(task.bytes, t_.through_host);
      result.engines = {of_device(to_host, task.from), of_device(to_device, task.to)};
      return;
    }
    result.us = t_.peer_copy_us + us_of(task.bytes, t_.peer_copy);
    result.engines = {of_device(sends, task.from), of_device(receives, task.to)};
    const double both = t_.peer_copy / t_.peer_copy_both;
    result.channels = {{of_device(link_out, task.from), 1},
                       {of_device(link_in, task.to), 1},
                       {of_device(link_both, task.from), both},
                       {of_device(link_both, task.to), both}};
  }

  void add_prefetch(emu::TimedTask &result, const TaskTrace &task) const {
    const bool in = task.work == Work::prefetch_to_device;
    const double gbps = in ? t_.prefetch_to_device : t_.prefetch_to_host;
    result.us = us_of(task.bytes, gbps) + us_of(task.made_bytes, t_.prefetch_made);
    result.engines = {of_device(in ? to_device : to_host, task.device)};
    result.channels = {{of_device(in ? host_in : host_out, task.device), gbps / t_.link},
                       {of_device(host_both, task.device), gbps / t_.link_both}};
  }

  /// The kernel takes as long as what takes longest of it; pages that it has to wait for come on top.
  Activity add_kernel(emu::TimedTask &result, const TaskTrace &task) const {
    const Prediction &kernel = kernels_[task.launch];
    const double own_us = 1e3 * kernel.ms;
    std::map<int, double> wanted; // us of each channel's time
    double host_us = 0, links_us = 0;
    const auto want = [&](double &longest, Channel channel, int device, double us) {
      double &sum = wanted[of_device(channel, device)];
      sum += us;
      longest = std::max(longest, sum);
    };
    for (const Reached &r : task.reached) {
      if (r.device < 0) {
        want(host_us, host_in, task.device, us_of(r.read, t_.load_host));
        want(host_us, host_out, task.device, us_of(r.written, t_.store_host));
        want(host_us, host_both, task.device, us_of(r.read + r.written, t_.link_both));
        continue;
      }
      const double both = us_of(r.read, t_.peer_load_both) + us_of(r.written, t_.peer_store_both);
      for (const bool here : {true, false}) {
        const int device = here ? task.device : r.device;
        want(links_us, here ? link_in : link_out, device, us_of(r.read, t_.peer_load));
        want(links_us, here ? link_out : link_in, device, us_of(r.written, t_.peer_store));
        want(links_us, link_both, device, both);
      }
    }
    const double pages_us = us_of(task.fault_bytes, t_.fault) + us_of(task.made_bytes, t_.make);
    const double at_work = std::max({own_us, host_us, links_us});
    result.us = at_work + pages_us;
    for (const auto &[channel, us] : wanted)
      result.channels.push_back({channel, us / result.us});
    const auto fit = static_cast<uint64_t>(std::max(1, kernel.blocks_per_sm));
    result.sms = static_cast<int>(std::min<uint64_t>(
        std::max<uint64_t>(1, (task.blocks + fit - 1) / fit), static_cast<uint64_t>(d_.sms)));
    return pages_us > at_work    ? Activity::pages
           : host_us == at_work  ? Activity::host_link
           : links_us == at_work ? Activity::links
                                 : Activity::kernels;
  }

  /// What comes after what, and how much later: from one engine of a device to another, and where a stream waits for
  /// another device.
  void add_order() {
    std::vector<std::set<std::pair<int, Work>>> last(
        tasks.size()); // who was at work before, and with it
    for (size_t i = 0; i < tasks.size(); ++i) {
      const TaskTrace &task = part_.tasks[i];
      for (const size_t before : task.after) {
        const bool other_device = part_.tasks[before].device != task.device;
        const bool other_engine =
            is_work(task) && std::ranges::any_of(last[before], [&](auto &one) {
              return one.first == task.device && one.second != task.work;
            });
        tasks[i].after.push_back({before, other_device || other_engine ? t_.handoff_us : 0});
        last[i].insert(last[before].begin(), last[before].end());
      }
      if (is_work(task))
        last[i] = {{task.device, task.work}};
    }
  }

  const PartTrace &part_;
  const std::vector<Prediction> &kernels_;
  const Device &d_;
  const Transfers &t_;
};

/// Calls cost nothing before the host waits for the first time: the device is still busy with something else then.
std::vector<emu::HostStep> host_steps(const PartTrace &part, const Transfers &t, double &own_us) {
  std::vector<emu::HostStep> steps;
  bool waited = false;
  uint64_t graph_launch = 0;
  for (const HostTrace &one : part.host) {
    const auto what = static_cast<emu::HostStep::What>(one.what);
    double us = one.fault_bytes / (t.host_fault * 1e3);
    if (waited)
      own_us += one.own_us;
    if (what == emu::HostStep::What::submits) {
      const uint64_t its = part.tasks[one.task].graph_launch;
      us += waited && (its == 0 || its != graph_launch) ? t.host_call_us : 0;
      graph_launch = its;
    } else {
      waited = true;
    }
    steps.push_back({what, one.task, us});
  }
  return steps;
}

/// How long something of a kind is at work, overlaps counted once.
double busy_us(Activity activity, const TimedPart &timed, const emu::TaskTimes &times) {
  std::vector<std::pair<double, double>> spans;
  for (size_t i = 0; i < times.tasks.size(); ++i)
    if (timed.activities[i] == activity)
      spans.push_back({times.tasks[i].begin, times.tasks[i].end});
  std::ranges::sort(spans);
  double busy = 0, until = 0;
  for (const auto &[from, to] : spans) {
    busy += std::max(0.0, to - std::max(from, until));
    until = std::max(until, to);
  }
  return busy;
}

std::string
refusal(const PartTrace &part, const std::vector<Prediction> &kernels, const Device &device) {
  if (!device.transfers)
    return "it copies, or uses several streams, and " + device.name +
           " is described without what that takes";
  for (const TaskTrace &task : part.tasks)
    if (task.work == Work::kernel && !kernels[task.launch].refused.empty())
      return "a kernel of it: " + kernels[task.launch].refused;
  return "";
}

} // namespace

bool needs_timeline(const PartTrace &part) {
  std::set<std::pair<int, uint64_t>> streams; // that launch kernels
  for (const TaskTrace &task : part.tasks) {
    if (task.work == Work::kernel)
      streams.insert({task.device, task.stream});
    else if (is_work(task) && task.work != Work::set)
      return true;
    if (!task.reached.empty() || task.fault_bytes + task.made_bytes > 0)
      return true;
  }
  return streams.size() > 1;
}

Prediction
predict_timeline(const PartTrace &part, const std::vector<Prediction> &kernels, const Device &d) {
  constexpr double much = 0.25; // of the step
  constexpr double little_us = 20;
  Prediction p;
  p.refused = refusal(part, kernels, d);
  if (!p.refused.empty())
    return p;
  const TimedPart timed(part, kernels, d);
  double own_us = 0;
  const emu::TaskTimes times =
      emu::find_times(timed.tasks, host_steps(part, *d.transfers, own_us), d.sms);
  for (const auto &place : times.tasks)
    if (!place.done) {
      p.refused = "a stream of it waits for what never comes";
      return p;
    }
  const double us = times.host_done;
  if (own_us > little_us && own_us > much * us) {
    p.refused = "between its calls the host works for itself, and hosts are not modelled";
    return p;
  }
  p.ms = us / 1e3;
  p.low = p.ms / band;
  p.high = p.ms * band;
  const ActivityWords *busiest = &activity_words[0];
  double most = -1;
  for (const ActivityWords &words : activity_words) {
    double busy = busy_us(words.activity, timed, times);
    if (words.activity == Activity::pages)
      for (const HostTrace &one : part.host)
        busy += one.fault_bytes / (d.transfers->host_fault * 1e3);
    p.terms[words.key] = busy / 1e3;
    if (busy > most) {
      most = busy;
      busiest = &words;
    }
  }
  p.term = busiest->key;
  char text[160];
  std::snprintf(text, sizeof text, "%s: %.0f %% of the time", busiest->phrase, 100 * most / us);
  p.binds = text;
  return p;
}

} // namespace model
