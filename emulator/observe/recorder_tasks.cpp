// What streams and the host do between kernels, passed on to the instruments that want to know.
#include "recorder.hpp"

#include "../src/engine/block.hpp"
#include "../src/launches/grid.hpp"
#include "look.hpp"
#include "symbols.hpp"
#include "task_races.hpp"
#include "text.hpp"

namespace emu {

void Recorder::host_touches(const void *memory, size_t bytes, bool writes) {
  if (!on_ || in_kernel())
    return;
  host_accesses(static_cast<const char *>(memory),
                bytes,
                writes ? Operation::store : Operation::load,
                false,
                0);
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
  if (on_)
    tell(&Observer::task_submitted, task);
}
void Recorder::task_begins(const Task &task) {
  task_steps_ = 0;
  if (on_)
    tell(&Observer::task_begins, task);
}
void Recorder::task_ends(const Task &task) {
  TaskCost cost;
  cost.steps = task_steps_;
  if (on_)
    tell(&Observer::task_ends, task, cost);
}
void Recorder::host_waited(const Task *task) {
  if (on_)
    tell(&Observer::host_waited, task);
}
void Recorder::waited_in_vain(unsigned stream) {
  if (on_)
    tell(&Observer::waited_in_vain, stream, place_of_caller());
}
void Recorder::device_waited(int device) {
  if (on_)
    tell(&Observer::device_waited, device);
}

void Recorder::memory_allocated(void *base, size_t bytes, bool host_writes) {
  tell(&Observer::memory_allocated, static_cast<char *>(base), bytes, host_writes);
}
void Recorder::memory_freed(void *base) {
  tell(&Observer::memory_freed, static_cast<char *>(base));
}
void Recorder::memory_written(void *base, size_t bytes) {
  tell(&Observer::memory_written, static_cast<char *>(base), bytes);
}
void Recorder::pages_discarded(const void *memory, size_t bytes) {
  tell(&Observer::pages_discarded, static_cast<const char *>(memory), bytes);
}
void Recorder::pages_prefetched(const void *memory, size_t bytes, bool to_device) {
  tell(&Observer::pages_prefetched, static_cast<const char *>(memory), bytes, to_device);
}
void Recorder::pages_advised(const void *memory,
                             size_t bytes,
                             cudaMemoryAdvise advice,
                             bool device) {
  tell(&Observer::pages_advised, static_cast<const char *>(memory), bytes, advice, device);
}

} // namespace emu
