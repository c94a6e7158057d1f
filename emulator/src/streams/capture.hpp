/// \file
/// Capturing: a stream's tasks become the nodes of a graph instead of running.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "streams/task_graph.hpp"

namespace emu {

/// What happens from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  CUgraph_st *graph;
  Queue *origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool over = false;
  bool invalidated = false;
  std::vector<QueuePointer> members; // the origin, and those that have joined
};

/// Those that have begun and not ended.
struct Captures {
  std::recursive_mutex mutex;
  std::vector<std::shared_ptr<Capture>> active;
  std::atomic<int> count{0};
};

Captures &captures();

/// Whether any stream is being captured.
bool anything_captured();
/// If the queue is being captured, the task becomes a node and `captured` is set; so it is if the
/// task may not be submitted while others are captured.
cudaError_t capture_task(Queue &queue, const TaskPointer &task, bool &captured);
/// For calls that no captured stream may make, or that wait for it: ends its capture without a
/// graph. \return the error that such a call gets; success if the stream is not captured
cudaError_t forbid_while_captured(Queue &queue);
/// The same for calls that concern all streams.
cudaError_t forbid_while_anything_captured();

/// The same for calls that no captured stream would survive, such as cudaMalloc; whether they are
/// allowed depends on the capture's mode.
cudaError_t forbid_unsafe_call();

/// Whether the queue is being captured.
bool is_captured(const Queue &queue);

/// The place in a capture that an event was recorded at.
struct CapturedEvent {
  std::shared_ptr<Capture> capture; // null: it was recorded in a stream that is not captured
  std::vector<CUgraphNode_st *> ends;
};
/// \return whether the queue is being captured, and `event` now is a place in it
bool record_in_capture(Queue &queue, CapturedEvent &event);
/// Whether the capture of the event has not ended.
bool is_capturing(const CapturedEvent &event);
/// The host asks for such an event. \return the error that it gets
cudaError_t touch_captured(const CapturedEvent &event);
/// What the queue captures from here on comes after the event; a queue that is not captured joins
/// the capture.
cudaError_t wait_in_capture(const QueuePointer &queue, const CapturedEvent &event);

} // namespace emu
