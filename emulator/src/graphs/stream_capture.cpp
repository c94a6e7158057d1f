// cudaStreamBeginCapture and the like.
#include <algorithm>
#include <set>

#include "context/api.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "graphs/graphs.hpp"
#include "streams/capture.hpp"
#include "streams/streams.hpp"

using namespace emu;

namespace {

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
  else if (runtime_watcher) // the program gets it here
    runtime_watcher->handle_made(*graph, CUgraph_st::destroyed_by);
  return error;
}

} // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return device_call([&] {
    if (mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream))
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
  return stream_call(stream, [&] {
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
