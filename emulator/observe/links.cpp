#include "links.hpp"

#include "look.hpp"
#include "symbols.hpp"

namespace emu {

namespace {

constexpr int host = -1;

} // namespace

// Loads bring bytes here; stores and atomics take them there.
void Links::reached(const ThreadAccess &access, int owner) {
  const std::lock_guard lock(instruments_mutex());
  const bool comes = access.operation == Operation::load;
  (comes ? cost_of_task.from_others : cost_of_task.to_others) += access.bytes;
  Moved &moved = comes ? between(owner, running_device) : between(running_device, owner);
  (comes ? moved.counts.loaded : moved.counts.stored) += access.bytes;
  moved.by_line[{access.pc, access.operation}] += access.bytes;
}

void Links::copied(int from, int to, uint64_t bytes) {
  LinkCounts &counts = between(from, to).counts;
  counts.copied += bytes;
  ++counts.copies;
}

void Links::task_ends(const Task &task, TaskCost &) {
  if (!several_devices() || (task.kind != TaskKind::copy && task.kind != TaskKind::collective))
    return;
  switch (task.route) {
  case Route::to_device:
    return copied(host, task.to_device, task.bytes);
  case Route::to_host:
    return copied(task.from_device, host, task.bytes);
  case Route::between_devices:
    if (task.direct)
      return copied(task.from_device, task.to_device, task.bytes);
    copied(task.from_device, host, task.bytes);
    return copied(host, task.to_device, task.bytes);
  default:
    return;
  }
}

void Links::add(const std::map<Ends, Moved> &later) {
  for (const auto &[ends, moved] : later) {
    auto &[counts, by_line] = moved_[ends];
    counts.copied += moved.counts.copied;
    counts.copies += moved.counts.copies;
    counts.loaded += moved.counts.loaded;
    counts.stored += moved.counts.stored;
    for (const auto &[line, bytes] : moved.by_line)
      by_line[line] += bytes;
  }
}

std::vector<LinkReport> Links::take() {
  std::vector<uint32_t> places;
  for (const auto &[ends, moved] : moved_)
    for (const auto &[line, bytes] : moved.by_line)
      places.push_back(std::get<uint32_t>(line));
  symbols().look_up(places);
  std::vector<LinkReport> reports;
  for (const auto &[ends, moved] : moved_) {
    const auto &[part, from, to] = ends;
    LinkReport report{part, from, to, moved.counts, {}};
    for (const auto &[line, bytes] : moved.by_line) {
      const auto [pc, operation] = line;
      const SourceLine where = symbols().line(pc);
      const Access access = operation == Operation::load    ? Access::global_load
                            : operation == Operation::store ? Access::global_store
                                                            : Access::global_atomic;
      const auto same =
          std::find_if(report.lines.begin(), report.lines.end(), [&](const LinkLine &earlier) {
            return earlier.where == where && earlier.access == access;
          });
      if (same != report.lines.end())
        same->bytes += bytes;
      else
        report.lines.push_back({where, access, bytes});
    }
    reports.push_back(std::move(report));
  }
  moved_.clear();
  return reports;
}

} // namespace emu
