// Streams and events behind their handles.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "tasks.hpp"

struct CUgraphNode_st;

namespace emu {

constexpr int least_stream_priority = 0;
constexpr int greatest_stream_priority = -5;

struct Capture;

/// The order of the tasks of one stream. What changes, changes under a lock of the scheduler's or,
/// for captures, of theirs.
struct Queue {
  enum class Kind : unsigned char { legacy, blocking, non_blocking };

  Kind kind = Kind::blocking;
  unsigned number = 1; // as cudaStreamGetId counts
  int device = 0;
  int priority = least_stream_priority;
  TaskPointer last; // what was submitted last
  std::atomic<bool> abandoned = false; // its stream was destroyed, or its thread has ended
  std::shared_ptr<Capture> capture; // null unless the stream is being captured
  std::vector<CUgraphNode_st *> ends; // of the capture: what the next node comes after
};
using QueuePointer = std::shared_ptr<Queue>;

/// The queue of a stream that exists.
QueuePointer queue_of(cudaStream_t stream);
/// Makes one, which takes part in the rules of its device's default stream.
QueuePointer make_queue(Queue::Kind kind, unsigned number, int priority, int device);
/// The legacy default stream of a device.
const QueuePointer &default_queue(int device);

/// What was submitted to it last, or null.
TaskPointer last_task(const QueuePointer &queue);

/// Submits a task that has to wait for others, too.
cudaError_t submit_after(const QueuePointer &queue,
                         const TaskPointer &task,
                         const std::vector<TaskPointer> &others = {});

/// Submits a task that belongs to a launch of a graph: it comes after these, and nothing in the
/// queue comes after it unless it says so.
void submit_beside(const QueuePointer &queue,
                   const TaskPointer &task,
                   const std::vector<TaskPointer> &after);

/// Parts of cudaDeviceReset.
void destroy_streams(int device);
void destroy_events(int device);

} // namespace emu
