/// \file
/// What streams do: kernels, copies and the like as tasks, and what comes before what.
///
/// A plain program runs each task inside the call that submits it; none of what follows is made
/// then. Tasks exist where somebody asks for them:
///
/// - A drawn schedule (EMU_SCHEDULE=SEED) in a plain program: tasks are queued and run later, in an
///   order that the seed draws among all that CUDA allows. A program that forgot to wait reads
///   what is not there yet. What makes a task wait is only what CUDA promises: the task before it
///   in its stream, the events its stream was told to wait for, the rules of the default stream.
/// - An observed program: tasks run at once, but their order is remembered, so that two that touch
///   the same bytes are found if nothing orders them, whatever order they happened to run in
///   (observe/task_races).
/// - A stream that is being captured: its tasks become the nodes of a graph and do not run.
///
/// Memory that is neither pinned nor managed (pageable) cannot be copied behind the host's back:
/// such a copy returns when it is done, asynchronous or not. Of one to a device CUDA promises less:
/// the host's array may be used again, but the bytes may still be on their way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emu/runtime/driver_types.hpp"

struct CUgraphNode_st;

namespace emu {

enum class TaskKind : unsigned char {
  kernel,
  copy,
  set, // cudaMemset
  host_function,
  event, // its record
  wait, // for an event of another stream
  allocate,
  free,
  prefetch, // of managed memory
  collective, // NCCL's: a rank is busy with an operation
  collective_work, // what it does to the memory of all ranks, in no time
  join // nothing but its place in the order
};

/// Which way a copy or a prefetch goes.
enum class Route : unsigned char { none, to_device, to_host, in_device, in_host, between_devices };

/// Bytes that a task touches: rows of `width` bytes.
struct Strip {
  const char *first;
  size_t width;
  size_t rows = 1;
  size_t pitch = 0; // from row to row
  size_t slices = 1;
  size_t slice_pitch = 0;

  size_t bytes() const { return width * rows * slices; }
};

struct Task;
using TaskPointer = std::shared_ptr<Task>;

/// When a call that submits a task returns.
enum class Returns : unsigned char {
  at_once,
  when_done,
  when_copied // asynchronous, but with pageable memory: as above, unless captured
};

/// What a task does, however often it is submitted.
struct Work {
  TaskKind kind = TaskKind::join;
  std::string name; // of the kernel, or of the call
  Returns returns = Returns::at_once;
  Route route = Route::none;
  bool pageable = false; // a copy from or to memory that is not pinned
  int from_device = 0, to_device = 0; // of a copy: where the two sides lie, if on devices
  bool direct = true; // a copy between devices that can reach each other
  size_t bytes = 0; // that a copy or the like moves
  dim3 grid, block; // of a kernel
  std::function<void()> run;
  std::vector<Strip> reads, writes; // all but a kernel's, which only its run shows
  std::vector<uint32_t> callers; // of an observed program: where it was made
  int device = 0; // that works on it
};

struct Task : Work {
  // What submitting it fills in:
  uint64_t number = 0; // in the order of submission, from 1
  unsigned stream = 0; // as cudaStreamGetId counts them
  int priority = 0;
  uint64_t graph_launch = 0; // 0: none; tasks of one launch have the same
  uint64_t record_before = 0; // of the same event: the number of its task
  std::vector<TaskPointer> after; // must be done before; empty again once this one is done
  std::vector<TaskPointer> held_up; // until this one is done, if by no other
  std::atomic<bool> done{false};
  std::atomic<bool> asked_for{false}; // by a query
  const char *stack = nullptr; // of the host thread that runs it: what lies below is the task's own

  Task(TaskKind task_kind, std::string task_name) {
    kind = task_kind;
    name = std::move(task_name);
  }
  explicit Task(Work work) : Work(std::move(work)) {}
};

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

} // namespace emu
