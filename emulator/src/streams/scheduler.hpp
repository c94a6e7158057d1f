/// \file
/// When tasks run: at once, or in an order that a schedule draws (see tasks.hpp).
#pragma once

#include <atomic>
#include <vector>

#include "streams/tasks.hpp"

namespace emu {

class RuntimeWatcher;
extern RuntimeWatcher *runtime_watcher; // null in plain programs
/// What else asks for tasks at present: a drawn schedule, streams that are captured, …
extern constinit std::atomic<int> tracking;

/// Whether tasks are made at all: see above. Each call of a plain program asks, so it costs nothing.
inline bool tasks_are_tracked() {
  return runtime_watcher != nullptr || tracking.load(std::memory_order_relaxed) != 0;
}

/// While it lives, the task that its host thread submits next is neither run nor queued.
class CaughtTask {
public:
  explicit CaughtTask(TaskPointer &caught);
  ~CaughtTask();
  /// Whether this host thread has one.
  static bool wanted();
  CaughtTask(const CaughtTask &) = delete;
  CaughtTask &operator=(const CaughtTask &) = delete;
};

/// Makes a queue, which takes part in the rules of its device's default stream.
QueuePointer make_queue(Queue::Kind kind, unsigned number, int priority, int device);
/// What was submitted to it last, or null.
TaskPointer last_task(const QueuePointer &queue);
/// Whether it comes after all that the queue's next task would have to wait for.
bool last_comes_after_all(const QueuePointer &queue);

/// Submits a task that has to wait for others, too.
cudaError_t submit_after(const QueuePointer &queue,
                         const TaskPointer &task,
                         const std::vector<TaskPointer> &others = {});

/// Submits a task that belongs to a launch of a graph: it comes after these, and nothing in the
/// queue comes after it unless it says so.
void submit_beside(const QueuePointer &queue,
                   const TaskPointer &task,
                   const std::vector<TaskPointer> &after);

/// Returns when the task is done, and with it all that must come before it; at once for null.
/// \return what has ruined the context; cudaErrorNotPermitted in a host function, for which the
/// device waits
cudaError_t wait_for(const TaskPointer &task);
/// Whether it is done; yes for null. Asking gives the device time for another task.
bool is_done(const TaskPointer &task);
/// Returns when all tasks of all streams of a device are done. Errors as for one.
cudaError_t wait_for_device(int device);
/// The same for all devices.
cudaError_t wait_for_all_tasks();

} // namespace emu
