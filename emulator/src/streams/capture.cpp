#include "streams/capture.hpp"

#include <algorithm>

namespace emu {

Captures &captures() {
  static Captures &made = *new Captures;
  return made;
}

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
          capture->invalidated = true;
        }
    return captured ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  }
  captured = true;
  Capture &capture = *queue.capture;
  if (task->returns == Returns::when_done)
    capture.invalidated = true;
  if (capture.invalidated)
    return task->returns == Returns::when_done ? cudaErrorStreamCaptureUnsupported
                                               : cudaErrorStreamCaptureInvalidated;
  task->returns = Returns::at_once;
  queue.ends = {capture.graph->add(task, queue.ends)};
  return cudaSuccess;
}

cudaError_t forbid_while_captured(Queue &queue) {
  const std::lock_guard lock(captures().mutex);
  if (!queue.capture)
    return cudaSuccess;
  queue.capture->invalidated = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t forbid_while_anything_captured() {
  if (!anything_captured())
    return cudaSuccess;
  const std::lock_guard lock(captures().mutex);
  for (const auto &capture : captures().active)
    capture->invalidated = true;
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
      capture->invalidated = true;
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
  event.capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

cudaError_t wait_in_capture(const QueuePointer &queue, const CapturedEvent &event) {
  const std::lock_guard lock(captures().mutex);
  if (!is_capturing(event)) {
    if (queue->capture) // else another host thread has just ended it
      queue->capture->invalidated = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (queue->capture && queue->capture != event.capture) {
    queue->capture->invalidated = true;
    event.capture->invalidated = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (!queue->capture) {
    if (queue->kind == Queue::Kind::legacy) {
      event.capture->invalidated = true;
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
