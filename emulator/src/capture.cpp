#include "capture.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "api.hpp"
#include "emu/runtime_streams.hpp"
#include "graphs.hpp"

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

namespace {

struct Captures {
  std::recursive_mutex mutex;
  std::vector<std::shared_ptr<Capture>> active;
  std::atomic<int> count{0};
};

Captures &captures() {
  static Captures &made = *new Captures;
  return made;
}

void invalidate(Capture &capture) { capture.invalidated = true; }

/// Whether every end of the other members comes before an end of the origin.
bool all_joined(const Capture &capture) {
  std::set<const CUgraphNode_st *> reached;
  std::vector<const CUgraphNode_st *> next(capture.origin->ends.begin(),
                                           capture.origin->ends.end());
  while (!next.empty()) {
    const CUgraphNode_st *node = next.back();
    next.pop_back();
    if (reached.insert(node).second)
      next.insert(next.end(), node->after.begin(), node->after.end());
  }
  return std::all_of(
      capture.members.begin(), capture.members.end(), [&](const QueuePointer &member) {
        return std::all_of(member->ends.begin(), member->ends.end(), [&](const auto *end) {
          return reached.count(end) > 0;
        });
      });
}

cudaError_t end_capture(cudaStream_t stream, cudaGraph_t *graph) {
  Captures &c = captures();
  const std::lock_guard lock(c.mutex);
  const QueuePointer queue = queue_of(stream);
  const std::shared_ptr<Capture> capture = queue->capture;
  if (!capture)
    return cudaErrorIllegalState;
  if (capture->origin != queue.get())
    return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  const cudaError_t error = capture->invalidated    ? cudaErrorStreamCaptureInvalidated
                            : !all_joined(*capture) ? cudaErrorStreamCaptureUnjoined
                                                    : cudaSuccess;
  capture->over = true;
  for (const QueuePointer &member : capture->members) {
    member->capture = nullptr;
    member->ends.clear();
  }
  std::erase(c.active, capture);
  --c.count;
  --tracking;
  *graph = error == cudaSuccess ? capture->graph : nullptr;
  if (error != cudaSuccess)
    cudaGraphDestroy(capture->graph);
  return error;
}

} // namespace

bool anything_captured() { return captures().count.load(std::memory_order_relaxed) > 0; }

cudaError_t capture_task(Queue &queue, const TaskPointer &task, bool &captured) {
  captured = false;
  if (!anything_captured())
    return cudaSuccess;
  const std::lock_guard lock(captures().mutex);
  if (!queue.capture) {
    if (queue.kind != Queue::Kind::legacy)
      return cudaSuccess;
    // The legacy default stream would have to wait for what is captured.
    for (const auto &capture : captures().active)
      for (const QueuePointer &member : capture->members)
        if (member->kind == Queue::Kind::blocking) {
          captured = true;
          invalidate(*capture);
        }
    return captured ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  }
  captured = true;
  Capture &capture = *queue.capture;
  if (task->returns == Returns::when_done)
    invalidate(capture);
  if (capture.invalidated)
    return task->returns == Returns::when_done ? cudaErrorStreamCaptureUnsupported
                                               : cudaErrorStreamCaptureInvalidated;
  task->returns = Returns::at_once;
  queue.ends = {capture.graph->add(node_type(*task), task, queue.ends)};
  return cudaSuccess;
}

cudaError_t forbid_while_captured(Queue &queue) {
  const std::lock_guard lock(captures().mutex);
  if (!queue.capture)
    return cudaSuccess;
  invalidate(*queue.capture);
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t forbid_while_anything_captured() {
  if (!anything_captured())
    return cudaSuccess;
  const std::lock_guard lock(captures().mutex);
  for (const auto &capture : captures().active)
    invalidate(*capture);
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t forbid_unsafe_call() {
  if (!anything_captured())
    return cudaSuccess;
  const std::lock_guard lock(captures().mutex);
  cudaError_t error = cudaSuccess;
  for (const auto &capture : captures().active)
    if (capture->mode == cudaStreamCaptureModeGlobal ||
        (capture->mode == cudaStreamCaptureModeThreadLocal &&
         capture->thread == std::this_thread::get_id())) {
      invalidate(*capture);
      error = cudaErrorStreamCaptureUnsupported;
    }
  return error;
}

bool record_in_capture(Queue &queue, CapturedEvent &event) {
  const std::lock_guard lock(captures().mutex);
  if (!queue.capture)
    return false;
  event = {queue.capture, queue.ends};
  return true;
}

bool is_captured(const Queue &queue) {
  const std::lock_guard lock(captures().mutex);
  return queue.capture != nullptr;
}

bool is_capturing(const CapturedEvent &event) {
  const std::lock_guard lock(captures().mutex);
  return event.capture && !event.capture->over;
}

cudaError_t touch_captured(const CapturedEvent &event) {
  const std::lock_guard lock(captures().mutex);
  if (event.capture->over || event.capture->invalidated)
    return cudaErrorInvalidValue;
  invalidate(*event.capture);
  return cudaErrorCapturedEvent;
}

cudaError_t wait_in_capture(const QueuePointer &queue, const CapturedEvent &event) {
  const std::lock_guard lock(captures().mutex);
  if (!is_capturing(event)) {
    invalidate(*queue->capture);
    return cudaErrorStreamCaptureIsolation;
  }
  if (queue->capture && queue->capture != event.capture) {
    invalidate(*queue->capture);
    invalidate(*event.capture);
    return cudaErrorStreamCaptureMerge;
  }
  if (!queue->capture) {
    if (queue->kind == Queue::Kind::legacy) {
      invalidate(*event.capture);
      return cudaErrorStreamCaptureImplicit;
    }
    queue->capture = event.capture;
    event.capture->members.push_back(queue);
  }
  for (CUgraphNode_st *end : event.ends)
    if (std::find(queue->ends.begin(), queue->ends.end(), end) == queue->ends.end())
      queue->ends.push_back(end);
  return cudaSuccess;
}

} // namespace emu

using namespace emu;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return device_call([&] {
    if (mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    Captures &c = captures();
    const std::lock_guard lock(c.mutex);
    const QueuePointer queue = queue_of(stream);
    if (queue->kind == Queue::Kind::legacy)
      return cudaErrorStreamCaptureUnsupported;
    if (queue->capture)
      return cudaErrorIllegalState;
    const auto capture = std::make_shared<Capture>();
    capture->graph = make_graph();
    capture->origin = queue.get();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->members = {queue};
    queue->capture = capture;
    c.active.push_back(capture);
    ++c.count;
    ++tracking;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return device_call([&] {
    if (graph == nullptr)
      return cudaErrorInvalidValue;
    *graph = nullptr;
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error : end_capture(stream, graph);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return device_call([&] {
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    if (status == nullptr)
      return cudaErrorInvalidValue;
    const std::lock_guard lock(captures().mutex);
    const QueuePointer queue = queue_of(stream);
    *status = !queue->capture               ? cudaStreamCaptureStatusNone
              : queue->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

// The thread's own mode decides which calls are refused; the emulator goes by the capture's.
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return query_call([&] {
    thread_local cudaStreamCaptureMode mine = cudaStreamCaptureModeGlobal;
    if (mode == nullptr || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    std::swap(mine, *mode);
    return cudaSuccess;
  });
}
