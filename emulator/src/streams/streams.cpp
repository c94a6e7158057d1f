#include "streams/streams.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "context/api.hpp"
#include "context/handles.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/thread_object.hpp"
#include "streams/capture.hpp"

struct CUstream_st {
  static constexpr const char *destroyed_by = "cudaStreamDestroy";
  unsigned flags;
  int priority;
  unsigned long long id;
  emu::QueuePointer queue;

  ~CUstream_st() {
    if (queue)
      queue->abandoned = true; // what is queued will be done all the same
  }
};

namespace {

using namespace emu;

std::atomic<unsigned long long> next_id = 3; // after the special streams

const CUstream_st default_stream = {cudaStreamDefault, least_stream_priority, 1, nullptr};

bool is_special(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/// Calls `use(const CUstream_st &)`, or answers that there is no such stream.
cudaError_t with_stream(cudaStream_t stream, auto use) {
  return device_call([&] {
    if (is_special(stream))
      return use(default_stream);
    return handles<CUstream_st>().with(stream, use);
  });
}

Queue::Kind kind_of(unsigned flags) {
  return flags == cudaStreamNonBlocking ? Queue::Kind::non_blocking : Queue::Kind::blocking;
}

/// The default streams of one host thread, each made when it is asked for.
struct ThreadStreams {
  std::array<QueuePointer, most_devices> queues;
  const QueuePointer &of(int device) {
    QueuePointer &queue = queues[static_cast<size_t>(device)];
    if (!queue)
      queue = make_queue(Queue::Kind::blocking, 2, least_stream_priority, device);
    return queue;
  }
  ~ThreadStreams() {
    for (const QueuePointer &queue : queues)
      if (queue)
        queue->abandoned = true;
  }
};

} // namespace

namespace emu {

constinit bool null_stream_is_per_thread = false;

cudaError_t validate_stream(cudaStream_t stream) {
  if (is_special(stream)) // the usual case takes no lock
    return cudaSuccess;
  return with_stream(stream, [](const CUstream_st &) { return cudaSuccess; });
}

const QueuePointer &default_queue(int device) {
  static const auto &queues = []() -> const auto & { // never destroyed: see of_this_thread
    auto &made = *new std::array<QueuePointer, most_devices>;
    for (int i = 0; i < device_count(); ++i)
      made[static_cast<size_t>(i)] = make_queue(Queue::Kind::legacy, 1, least_stream_priority, i);
    return made;
  }
  ();
  return queues[static_cast<size_t>(device)];
}

QueuePointer queue_of(cudaStream_t stream) {
  if (stream == nullptr)
    stream = null_stream_is_per_thread ? cudaStreamPerThread : cudaStreamLegacy;
  if (stream == cudaStreamLegacy)
    return default_queue(current_device);
  if (stream == cudaStreamPerThread) {
    return of_this_thread<ThreadStreams>().of(current_device);
  }
  return stream->queue;
}

cudaError_t submit(cudaStream_t stream, const TaskPointer &task) {
  return submit_after(queue_of(stream), task);
}

void destroy_streams(int device) {
  handles<CUstream_st>().destroy_if(
      [device](const CUstream_st &stream) { return stream.queue->device == device; });
}

} // namespace emu

namespace {

/// Calls `use(const TaskPointer &)` with what the stream does last; null if tasks are not tracked,
/// or nothing was submitted.
cudaError_t with_last_task(cudaStream_t stream, auto use) {
  return stream_call(stream, [&] {
    if (!tasks_are_tracked())
      return use(nullptr);
    const QueuePointer queue = queue_of(stream);
    if (const cudaError_t error = forbid_while_captured(*queue))
      return error;
    // The legacy default stream is done when all blocking streams are.
    if (queue->kind == Queue::Kind::legacy && !last_comes_after_all(queue))
      submit_after(queue, std::make_shared<Task>(TaskKind::join, "cudaStreamSynchronize"));
    return use(last_task(queue));
  });
}

} // namespace

cudaError_t emu::then_wait(cudaError_t error) {
  if (error != cudaSuccess || !tasks_are_tracked())
    return error;
  return cudaStreamSynchronize(nullptr);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  return device_call([&] {
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    // CUDA moves a priority out of range to the nearest that exists.
    priority = std::clamp(priority, greatest_stream_priority, least_stream_priority);
    const auto id = next_id++;
    const auto queue =
        make_queue(kind_of(flags), static_cast<unsigned>(id), priority, current_device);
    *stream = handles<CUstream_st>().enter(new CUstream_st{flags, priority, id, queue});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, least_stream_priority);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return release_call([&] {
    return is_special(stream) ? cudaErrorInvalidResourceHandle
                              : handles<CUstream_st>().destroy(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_last_task(stream, [](const TaskPointer &last) { return wait_for(last); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_last_task(stream, [](const TaskPointer &last) {
    return is_done(last) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  return with_stream(stream, [&](const CUstream_st &s) { return answer(flags, s.flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return with_stream(stream, [&](const CUstream_st &s) { return answer(priority, s.priority); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return with_stream(stream, [&](const CUstream_st &s) {
    return answer(id, is_special(stream) ? queue_of(stream)->number : s.id);
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return with_stream(stream, [&](const CUstream_st &s) {
    return answer(device, is_special(stream) ? current_device : s.queue->device);
  });
}

// Callbacks run outside all locks: they may not call CUDA, but some do.

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback,
                                  void *user_data,
                                  unsigned int flags) {
  return device_call([&] {
    if (callback == nullptr || flags != 0)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream))
      return error;
    if (const cudaError_t error = forbid_while_captured(*queue_of(stream)))
      return error;
    return perform(
        stream,
        TaskKind::host_function,
        "cudaStreamAddCallback",
        [](Task &) {},
        [=] { callback(stream, cudaSuccess, user_data); });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
  return device_call([&] {
    if (function == nullptr)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream))
      return error;
    return perform(
        stream,
        TaskKind::host_function,
        "cudaLaunchHostFunc",
        [](Task &) {},
        [=] { function(user_data); });
  });
}
