#include "runtime_observer.hpp"

#include "../src/context/api.hpp"
#include "../src/engine/block.hpp"
#include "../src/launches/grid.hpp"
#include "host_ranks.hpp"
#include "host_shadows.hpp"
#include "recorder.hpp"
#include "symbols.hpp"
#include "task_races.hpp"
#include "text.hpp"

namespace emu {

void RuntimeObserver::host_complained(const char *kind, const char *text) {
  const LockedLook look;
  recorder_.found({kind, false, {{}, place_of(program_callers()), {}, {}}, {}, text});
}

std::string RuntimeObserver::place_of_caller() {
  const LockedLook look;
  const SourceLine where =
      recorder_.on() ? symbols().line(place_of(program_callers())) : SourceLine();
  return where.line > 0
             ? where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line)
             : std::string();
}

void RuntimeObserver::call_failed(cudaError_t error) {
  if (!recorder_.on() || in_kernel())
    return;
  const LockedLook look;
  FailedCall call{{}, cudaGetErrorName(error), {}};
  if (const LaunchConfig *launch = launch_in_question) {
    const dim3 &grid = launch->grid, &block = launch->block;
    call.launch = format("<<<(%u, %u, %u), (%u, %u, %u), %zu>>>",
                         grid.x,
                         grid.y,
                         grid.z,
                         block.x,
                         block.y,
                         block.z,
                         launch->dynamic_shared);
    if (const dim3 &cluster = launch->cluster; cluster.x != 0)
      call.launch += format(" in clusters of (%u, %u, %u)", cluster.x, cluster.y, cluster.z);
  } else
    call.launch = std::exchange(call_in_question, {});
  recorder_.failed(call, program_callers(), launch_in_question != nullptr);
}

void RuntimeObserver::error_fetched() {
  const LockedLook look;
  recorder_.error_fetched();
}

void RuntimeObserver::task_made(Task &task) {
  const Look look;
  if (recorder_.on())
    task.callers = program_callers();
}
void RuntimeObserver::task_submitted(const Task &task) {
  const LockedLook look;
  if (recorder_.on())
    recorder_.tell(&Observer::task_submitted, task);
}
void RuntimeObserver::task_begins(const Task &task) {
  const LockedLook look;
  cost_of_task = {};
  if (recorder_.on())
    recorder_.tell(&Observer::task_begins, task);
}
void RuntimeObserver::task_ends(const Task &task) {
  const LockedLook look;
  if (recorder_.on())
    recorder_.tell(&Observer::task_ends, task, cost_of_task);
}
void RuntimeObserver::host_waited(const Task *task) {
  const LockedLook look;
  if (recorder_.on())
    recorder_.tell(&Observer::host_waited, task);
}
bool RuntimeObserver::host_knows(const Task &task) {
  const LockedLook look;
  return !recorder_.on() || recorder_.task_races().host_knows(task);
}
void RuntimeObserver::waited_in_vain(unsigned stream) {
  const LockedLook look;
  if (recorder_.on())
    recorder_.tell(&Observer::waited_in_vain, stream, place_of_caller());
}
void RuntimeObserver::device_waited(int device) {
  const LockedLook look;
  if (recorder_.on())
    recorder_.tell(&Observer::device_waited, device);
}

void RuntimeObserver::handed_over(
    const char *call, const void *memory, size_t bytes, bool writes, bool as_device) {
  const Look look;
  if (!recorder_.on())
    return;
  recorder_.shadow_uses().handed_over(
      call, static_cast<const char *>(memory), bytes, writes, as_device);
  if (writes && !as_device)
    recorder_.host_ranks().call_wrote(static_cast<const char *>(memory), bytes);
}

void RuntimeObserver::memory_allocated(const Allocation &allocation) {
  const LockedLook look;
  recorder_.tell(&Observer::memory_allocated, allocation);
}
void RuntimeObserver::memory_freed(void *base) {
  const LockedLook look;
  recorder_.tell(&Observer::memory_freed, static_cast<char *>(base));
}
void RuntimeObserver::handle_made(const void *handle, const char *destroyed_by) {
  const LockedLook look;
  recorder_.tell(&Observer::handle_made, handle, destroyed_by);
}
void RuntimeObserver::handle_gone(const void *handle) {
  const LockedLook look;
  recorder_.tell(&Observer::handle_gone, handle);
}
void RuntimeObserver::memory_written(void *base, size_t bytes) {
  const LockedLook look;
  recorder_.tell(&Observer::memory_written, static_cast<char *>(base), bytes);
}
void RuntimeObserver::pages_discarded(const void *memory, size_t bytes) {
  const LockedLook look;
  recorder_.tell(&Observer::pages_discarded, static_cast<const char *>(memory), bytes);
}
void RuntimeObserver::pages_prefetched(const void *memory, size_t bytes, bool to_device) {
  const LockedLook look;
  recorder_.tell(&Observer::pages_prefetched, static_cast<const char *>(memory), bytes, to_device);
}
void RuntimeObserver::pages_advised(const void *memory,
                                    size_t bytes,
                                    cudaMemoryAdvise advice,
                                    bool device) {
  const LockedLook look;
  recorder_.tell(
      &Observer::pages_advised, static_cast<const char *>(memory), bytes, advice, device);
}

} // namespace emu
