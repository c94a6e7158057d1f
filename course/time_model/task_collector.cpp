#include "task_collector.hpp"

#include "footprint.hpp"

#include "emulator/src/memory/allocations.hpp"
#include "emulator/src/streams/tasks.hpp"

#include <ctime>

namespace model {
namespace {

double thread_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

Work work_of(const emu::Task &task) {
  const bool to_device = task.route == emu::Route::to_device;
  switch (task.kind) {
  case emu::TaskKind::kernel:
    return Work::kernel;
  case emu::TaskKind::set:
    return Work::set;
  case emu::TaskKind::prefetch:
    return to_device ? Work::prefetch_to_device : Work::prefetch_to_host;
  case emu::TaskKind::host_function:
    return Work::host_function;
  case emu::TaskKind::collective:
    return Work::collective;
  case emu::TaskKind::copy:
    return to_device                                   ? Work::to_device
           : task.route == emu::Route::to_host         ? Work::to_host
           : task.route == emu::Route::between_devices ? Work::between
           : task.route == emu::Route::in_device       ? Work::in_device
                                                       : Work::nothing;
  default:
    return Work::nothing;
  }
}

double page_bytes_of(uint64_t pages) {
  return static_cast<double>(pages * emu::PagePlaces::page_bytes);
}

} // namespace

void TaskCollector::begins_part(const std::string &name) {
  in_part_ = !name.empty();
  places_.clear();
  if (in_part_)
    parts_.push_back({name, {}, {}});
  own_us_ = fault_bytes_ = 0;
  went_on_us_ = thread_us();
}

void TaskCollector::task_submitted(const emu::Task &task) {
  if (!in_part_)
    return;
  PartTrace &part = parts_.back();
  TaskTrace trace;
  trace.work = work_of(task);
  trace.pageable = task.pageable;
  trace.direct = task.direct;
  trace.device = task.device;
  trace.from = task.from_device;
  trace.to = task.to_device;
  trace.stream = task.stream;
  trace.priority = task.priority;
  trace.graph_launch = task.graph_launch;
  trace.blocks = uint64_t{task.grid.x} * task.grid.y * task.grid.z;
  trace.bytes = task.kind == emu::TaskKind::prefetch ? 0 : static_cast<double>(task.bytes);
  for (const emu::TaskPointer &before : task.after)
    if (const auto known = places_.find(before->number); known != places_.end())
      trace.after.push_back(known->second);
  places_[task.number] = part.tasks.size();
  add_host(HostTrace::What::submits, part.tasks.size());
  part.tasks.push_back(std::move(trace));
}

void TaskCollector::task_begins(const emu::Task &task) {
  host_stops(); // a launch of a graph makes no task
  counts_ = {};
  device_ = task.device;
  const auto known = places_.find(task.number);
  running_ = known != places_.end() ? std::optional(known->second) : std::nullopt;
  nobodys_ = {};
  begin_launch();
}

void TaskCollector::task_ends(const emu::Task &task) {
  const bool on_device = task.route == emu::Route::to_device || task.route == emu::Route::in_device;
  if (task.kind == emu::TaskKind::copy || task.kind == emu::TaskKind::set)
    for (const emu::Strip &strip : task.writes)
      if (strip.rows == 1 && strip.slices == 1)
        written_by_copy(strip.first, strip.width, on_device);
  TaskTrace &trace = running();
  if (task.kind == emu::TaskKind::prefetch)
    trace.bytes = page_bytes_of(counts_.sent_to_device + counts_.sent_to_host);
  trace.fault_bytes += page_bytes_of(counts_.kernel_faults);
  trace.made_bytes += page_bytes_of(counts_.made_by_kernels);
  host_goes_on();
}

void TaskCollector::host_waited(const emu::Task *task) {
  host_stops();
  if (task == nullptr)
    add_host(HostTrace::What::waits_for_all, 0);
  else if (const auto known = places_.find(task->number); known != places_.end())
    add_host(HostTrace::What::waits, known->second);
  host_goes_on();
}

void TaskCollector::device_waited(int device) {
  host_stops();
  add_host(HostTrace::What::waits_for_device, static_cast<uint64_t>(device));
  host_goes_on();
}

void TaskCollector::add_host(HostTrace::What what, uint64_t task) {
  if (in_part_)
    parts_.back().host.push_back({what, task, own_us_, fault_bytes_});
  own_us_ = fault_bytes_ = 0;
}

void TaskCollector::memory_allocated(const emu::Allocation &allocation) {
  if (allocation.kind != emu::MemoryKind::managed)
    return;
  host_stops();
  add(allocation.base, allocation.size);
  host_goes_on();
}

void TaskCollector::memory_freed(void *base) {
  host_stops();
  remove(static_cast<char *>(base));
  host_goes_on();
}

void TaskCollector::host_stops() {
  if (!goes_on_)
    return;
  goes_on_ = false;
  own_us_ += thread_us() - went_on_us_;
  counts_ = {};
  for (const auto &[first, end] : touches_.stop())
    touch(first, static_cast<size_t>(end - first), false, false);
  fault_bytes_ += page_bytes_of(counts_.host_faults);
}

void TaskCollector::host_goes_on() {
  std::vector<HostTouches::Range> away;
  each_away_from_host([&](char *first, size_t bytes) { away.push_back({first, first + bytes}); });
  touches_.watch(std::move(away));
  goes_on_ = true;
  went_on_us_ = thread_us();
}

emu::KnownAllocation TaskCollector::past_device(uint64_t address) const {
  const emu::KnownAllocation found = memory_at_(address);
  const bool own = found.device == emu::KnownAllocation::of_each_device ||
                   (found.device == device_ && !found.managed);
  return found.end == 0 || own ? emu::KnownAllocation{} : found;
}

void TaskCollector::kernel_touches(const LaunchTrace &launch) {
  const std::vector<TouchedBytes> touched = touched_bytes(launch);
  TaskTrace &task = running();
  for (size_t i = 0; i < touched.size(); ++i) {
    const TouchedBytes &bytes = touched[i];
    const emu::KnownAllocation memory = past_device(launch.touched[i].begin);
    if (memory.end == 0 || bytes.read + bytes.written == 0)
      continue;
    if (!memory.managed) {
      task.reached.push_back({memory.device, bytes.read, bytes.written});
      continue;
    }
    const auto *const first = reinterpret_cast<const char *>(bytes.first);
    Reached reached{-1, 0, 0};
    for (const bool writes : {false, true}) {
      begin_launch();
      const uint64_t before = counts_.over_the_link;
      touch(first, static_cast<size_t>(writes ? bytes.written : bytes.read), true, writes);
      (writes ? reached.written : reached.read) = page_bytes_of(counts_.over_the_link - before);
    }
    if (reached.read + reached.written > 0)
      task.reached.push_back(reached);
  }
}

} // namespace model
