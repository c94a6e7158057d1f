#include "timeline_recorder.hpp"

#include <algorithm>

#include "symbols.hpp"

namespace emu {

namespace {

constexpr size_t most_tasks = 4000;

} // namespace

void TimelineRecorder::start() {
  recorded_.tasks.clear();
  recorded_.host.clear();
  threads_.clear();
  full_ = false;
}

void TimelineRecorder::note(HostStep::What what, size_t index) {
  const auto self = std::find(threads_.begin(), threads_.end(), std::this_thread::get_id());
  recorded_.host.push_back({what, index, 0, static_cast<int>(self - threads_.begin())});
  if (self == threads_.end())
    threads_.push_back(std::this_thread::get_id());
}

void TimelineRecorder::task_submitted(const Task &task) {
  if (recorded_.tasks.empty())
    first_number_ = task.number;
  full_ = full_ || recorded_.tasks.size() >= most_tasks ||
          task.number != first_number_ + recorded_.tasks.size();
  if (full_)
    return;
  RecordedTask recorded{task.kind,
                        task.name,
                        task.route,
                        task.pageable,
                        task.bytes,
                        task.stream,
                        task.device,
                        task.from_device,
                        task.to_device,
                        task.direct,
                        task.priority,
                        task.graph_launch,
                        uint64_t{task.grid.x} * task.grid.y * task.grid.z,
                        0,
                        0,
                        {},
                        task.callers,
                        part_};
  for (const TaskPointer &before : task.after)
    if (known(before->number))
      recorded.after.push_back(index_of(before->number));
  note(HostStep::What::submits, recorded_.tasks.size());
  recorded_.tasks.push_back(std::move(recorded));
}

void TimelineRecorder::task_ends(const Task &task, TaskCost &cost) {
  if (!known(task.number) || task.kind != TaskKind::kernel)
    return;
  RecordedTask &recorded = recorded_.tasks[index_of(task.number)];
  recorded.bytes = cost.touched;
  recorded.steps = cost.steps;
  recorded.over_links = cost.over_links();
}

void TimelineRecorder::host_waited(const Task *task) {
  if (full_ || recorded_.tasks.empty())
    return;
  if (task == nullptr)
    note(HostStep::What::waits_for_all, 0);
  else if (known(task->number))
    note(HostStep::What::waits, index_of(task->number));
}

void TimelineRecorder::device_waited(int device) {
  if (!full_ && !recorded_.tasks.empty())
    note(HostStep::What::waits_for_device, static_cast<size_t>(device));
}

Timeline TimelineRecorder::lay_out(const TimelineModel &model) const {
  std::vector<uint32_t> callers;
  for (const RecordedTask &task : recorded_.tasks)
    callers.insert(callers.end(), task.callers.begin(), task.callers.end());
  symbols().look_up(callers); // all at once
  return emu::lay_out(recorded_, model);
}

} // namespace emu
