// What streams and the host do between kernels, passed on to the instruments that want to know.
#include "recorder.hpp"

#include "../src/block.hpp"
#include "../src/grid.hpp"
#include "look.hpp"
#include "symbols.hpp"
#include "task_races.hpp"
#include "text.hpp"
#include "timeline_recorder.hpp"

namespace emu {

void Recorder::host_touches(const void *memory, size_t bytes, bool writes) {
  if (!on_ || in_kernel())
    return;
  const auto *first = static_cast<const char *>(memory);
  const Operation operation = writes ? Operation::store : Operation::load;
  task_races_->host_access(first, bytes, operation, false, 0);
  pages_.touched(first, bytes, false, writes);
}

void Recorder::host_complained(const char *kind, const char *text) {
  found({kind, false, {{}, place_of(program_callers()), {}, {}}, {}, text});
}

std::string Recorder::place_of_caller() {
  const Look look;
  const SourceLine where = on_ ? symbols().line(place_of(program_callers())) : SourceLine();
  return where.line > 0
             ? where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line)
             : std::string();
}

void Recorder::call_failed(cudaError_t error) {
  if (!on_ || in_kernel() || failed_)
    return;
  const Look look;
  failed_ = FailedCall{{}, cudaGetErrorName(error), {}};
  failed_callers_ = program_callers();
  if (const LaunchConfig *launch = launch_in_question) {
    const dim3 &grid = launch->grid, &block = launch->block;
    failed_->launch = format("<<<(%u, %u, %u), (%u, %u, %u), %zu>>>",
                             grid.x,
                             grid.y,
                             grid.z,
                             block.x,
                             block.y,
                             block.z,
                             launch->dynamic_shared);
  }
}

void Recorder::task_made(Task &task) {
  if (on_)
    task.callers = program_callers();
}
void Recorder::task_submitted(const Task &task) {
  if (!on_)
    return;
  task_races_->submitted(task);
  timeline_->submitted(task, part_);
}
void Recorder::task_begins(const Task &task) {
  task_steps_ = 0;
  links_.task_begins();
  if (on_)
    task_races_->begins(task);
}
void Recorder::task_ends(const Task &task) {
  if (!on_)
    return;
  task_races_->ends(task);
  pages_.task_ends(task);
  links_.task_ends(task);
  timeline_->ended(task, task_races_->bytes_touched(), links_.kernel_bytes(), task_steps_);
}
void Recorder::host_waited(const Task *task) {
  if (!on_)
    return;
  task_races_->host_waited(task);
  timeline_->host_waited(task);
}

void Recorder::device_waited(int device) {
  if (!on_)
    return;
  task_races_->device_waited(device);
  timeline_->device_waited(device);
}

void Recorder::memory_allocated(void *base, size_t bytes, bool host_writes) {
  for (Observer *observer : observers_)
    observer->memory_allocated(static_cast<char *>(base), bytes, host_writes);
}
void Recorder::memory_freed(void *base) {
  for (Observer *observer : observers_)
    observer->memory_freed(static_cast<char *>(base));
}
void Recorder::memory_written(void *base, size_t bytes) {
  for (Observer *observer : observers_)
    observer->memory_written(static_cast<char *>(base), bytes);
}

} // namespace emu
