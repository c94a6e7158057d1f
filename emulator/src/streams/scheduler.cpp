#include "streams/scheduler.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "context/devices.hpp"
#include "emu/schedule.hpp"
#include "engine/drawn_order.hpp"
#include "engine/watcher.hpp"
#include "streams/capture.hpp"

namespace emu {

namespace {

/// What is queued, and who runs it. Never destroyed: destructors of static objects call CUDA, too.
/// What has not run when the program ends never will, as on a GPU.
struct Scheduler {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<TaskPointer> ready; // could run now, in the order of submission
  std::map<int, size_t> pending; // by device: how many are queued, ready or not
  std::vector<QueuePointer> queues;
  uint64_t next_number = 1;
  bool running = false; // a host thread runs a task
  std::thread::id runner; // that one
  int runs_for = 0; // whose task it is
  std::recursive_mutex device; // of observed programs: one task at a time
};

Scheduler &scheduler() {
  static Scheduler &made = *new Scheduler;
  return made;
}

constinit thread_local TaskPointer *catcher = nullptr; // see CaughtTask

bool deferred() { return drawn_order().drawn() && !runtime_watcher; }

// Puts a task with those that could run now, or with one that holds it up: of thousands that are
// queued few are looked at when one is done.
void place(const TaskPointer &task) {
  for (const TaskPointer &before : task->after)
    if (!before->done) {
      before->held_up.push_back(task);
      return;
    }
  std::vector<TaskPointer> &ready = scheduler().ready;
  ready.insert(std::ranges::upper_bound(ready, task->number, {}, &Task::number), task);
}

// A ruined context runs nothing more.
void run(Task &task) {
  if (task.run && sticky_error(task.device) == cudaSuccess)
    task.run();
}

// Releases what came before it, and that what came before that: in loops, because chains are long.
void finish(Task &task) {
  task.done = true;
  task.after.clear();
  task.run = nullptr;
  for (const TaskPointer &held_up : std::exchange(task.held_up, {}))
    place(held_up);
}

/// Runs one of the tasks that could run now, drawn by the schedule; false if there is none, or if
/// another host thread is at it.
bool run_one(std::unique_lock<std::mutex> &lock) {
  Scheduler &s = scheduler();
  if (s.running || s.ready.empty())
    return false;
  const auto drawn = s.ready.begin() + static_cast<long>(drawn_order().below(s.ready.size()));
  const TaskPointer task = *drawn;
  s.ready.erase(drawn);
  --s.pending[task->device];
  s.running = true;
  s.runner = std::this_thread::get_id();
  s.runs_for = task->device;
  lock.unlock();
  run(*task);
  lock.lock();
  s.running = false;
  s.runner = {};
  finish(*task);
  s.changed.notify_all();
  return true;
}

/// Runs tasks until `over` says so.
/// \return what has ruined the device's context
cudaError_t run_until(int device, auto over) {
  Scheduler &s = scheduler();
  std::unique_lock lock(s.mutex);
  while (!over()) {
    if (s.running && s.runner == std::this_thread::get_id())
      return cudaErrorNotPermitted; // a host function may not wait for its own device
    if (!run_one(lock))
      s.changed.wait(lock);
  }
  return sticky_error(device);
}

void run_observed(Task &task) {
  // A host function may wait for another host thread, which must be able to go on.
  std::unique_lock lock(scheduler().device, std::defer_lock);
  if (task.kind != TaskKind::host_function)
    lock.lock();
  task.stack = static_cast<const char *>(__builtin_frame_address(0));
  if (runtime_watcher)
    runtime_watcher->task_begins(task);
  run(task);
  if (runtime_watcher)
    runtime_watcher->task_ends(task);
  const std::lock_guard guard(scheduler().mutex);
  finish(task);
}

// What must be done before a task that comes next in a queue.
std::vector<TaskPointer> comes_after(const Queue &queue) {
  std::vector<TaskPointer> after;
  const auto add = [&](const Queue &other) {
    if (other.last)
      after.push_back(other.last);
  };
  add(queue);
  if (queue.kind == Queue::Kind::non_blocking)
    return after;
  // The legacy default stream waits for all blocking streams, and they wait for it.
  for (const QueuePointer &other : scheduler().queues)
    if (other.get() != &queue && other->device == queue.device &&
        other->kind != Queue::Kind::non_blocking &&
        (queue.kind == Queue::Kind::legacy || other->kind == Queue::Kind::legacy))
      add(*other);
  return after;
}

// Numbers a task that knows what it comes after, and queues it where tasks are.
void enter(const Queue &queue, const TaskPointer &task, std::unique_lock<std::mutex> &lock) {
  Scheduler &s = scheduler();
  task->number = s.next_number++;
  task->stream = queue.number;
  task->priority = queue.priority;
  if (runtime_watcher)
    runtime_watcher->task_submitted(*task);
  if (!deferred())
    return;
  ++s.pending[task->device];
  place(task);
  // The device works on while the host does other things, sometimes.
  while (drawn_order().one_in(4) && run_one(lock))
    ;
}

} // namespace

constinit std::atomic<int> tracking{0};

CaughtTask::CaughtTask(TaskPointer &caught) {
  catcher = &caught;
  ++tracking;
}
CaughtTask::~CaughtTask() {
  catcher = nullptr;
  --tracking;
}

bool CaughtTask::wanted() { return catcher != nullptr; }

QueuePointer make_queue(Queue::Kind kind, unsigned number, int priority, int device) {
  Scheduler &s = scheduler();
  const std::lock_guard lock(s.mutex);
  std::erase_if(s.queues, [](const QueuePointer &old) { return old->abandoned && !old->last; });
  const auto queue = std::make_shared<Queue>();
  queue->kind = kind;
  queue->number = number;
  queue->device = device;
  queue->priority = priority;
  s.queues.push_back(queue);
  return queue;
}

TaskPointer last_task(const QueuePointer &queue) {
  const std::lock_guard lock(scheduler().mutex);
  return queue->last;
}

bool last_comes_after_all(const QueuePointer &queue) {
  const std::lock_guard lock(scheduler().mutex);
  return std::ranges::all_of(comes_after(*queue), [&](const TaskPointer &task) {
    return queue->last && task->number <= queue->last->number;
  });
}

cudaError_t submit_after(const QueuePointer &queue,
                         const TaskPointer &task,
                         const std::vector<TaskPointer> &others) {
  task->device = queue->device;
  if (runtime_watcher)
    runtime_watcher->task_made(*task);
  if (catcher) {
    *catcher = task;
    return cudaSuccess;
  }
  bool captured = false;
  if (const cudaError_t error = capture_task(*queue, task, captured); captured)
    return error;
  {
    std::unique_lock lock(scheduler().mutex);
    task->after = comes_after(*queue);
    task->after.insert(task->after.end(), others.begin(), others.end());
    queue->last = task;
    enter(*queue, task, lock);
  }
  if (!deferred())
    run_observed(*task);
  return task->returns == Returns::at_once ? cudaSuccess : wait_for(task);
}

void submit_beside(const QueuePointer &queue,
                   const TaskPointer &task,
                   const std::vector<TaskPointer> &after) {
  {
    std::unique_lock lock(scheduler().mutex);
    task->after = after;
    enter(*queue, task, lock);
  }
  if (!deferred())
    run_observed(*task);
}

cudaError_t wait_for(const TaskPointer &task) {
  if (!task)
    return sticky_error();
  if (runtime_watcher)
    runtime_watcher->host_waited(task.get());
  return deferred() ? run_until(task->device, [&] { return task->done.load(); })
                    : sticky_error(task->device);
}

bool is_done(const TaskPointer &task) {
  if (!task)
    return true;
  if (deferred() && !task->done) {
    std::unique_lock lock(scheduler().mutex);
    run_one(lock);
  }
  if (!runtime_watcher || !task->done)
    return task->done;
  // Observed tasks run at once; on a GPU a query right behind a launch is ahead of its end.
  if (!runtime_watcher->host_knows(*task) && !task->asked_for.exchange(true))
    return false;
  runtime_watcher->host_waited(task.get());
  return true;
}

cudaError_t wait_for_device(int device) {
  if (!several_devices())
    return wait_for_all_tasks();
  if (!tasks_are_tracked())
    return sticky_error(device);
  if (runtime_watcher)
    runtime_watcher->device_waited(device);
  if (!deferred())
    return sticky_error(device);
  Scheduler &s = scheduler();
  return run_until(device,
                   [&] { return !(s.running && s.runs_for == device) && s.pending[device] == 0; });
}

cudaError_t wait_for_all_tasks() {
  if (!tasks_are_tracked())
    return sticky_error();
  Scheduler &s = scheduler();
  if (runtime_watcher)
    runtime_watcher->host_waited(nullptr);
  const auto none_pending = [&] {
    return !s.running &&
           std::ranges::all_of(s.pending, [](const auto &of) { return of.second == 0; });
  };
  const cudaError_t error = deferred() ? run_until(current_device, none_pending) : sticky_error();
  if (error == cudaErrorNotPermitted)
    return error;
  const std::lock_guard lock(s.mutex);
  std::erase_if(s.queues, [](const QueuePointer &queue) { return queue->abandoned.load(); });
  return error;
}

namespace {

// For the whole program, if its environment asks for it.
[[maybe_unused]] const bool drawn_from_the_start = [] {
  tracking += static_cast<int>(drawn_order().drawn());
  return true;
}();

} // namespace

void set_schedule(uint64_t seed) {
  wait_for_all_tasks();
  tracking += static_cast<int>(seed != 0) - static_cast<int>(drawn_order().drawn());
  drawn_order() = DrawnOrder(seed);
}

uint64_t schedule_seed() { return drawn_order().seed(); }

} // namespace emu
