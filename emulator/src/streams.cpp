#include "streams.hpp"

#include <chrono>
#include <mutex>
#include <unordered_set>

#include "api.hpp"
#include "emu/runtime_streams.hpp"

using Clock = std::chrono::steady_clock;

struct CUstream_st {
  unsigned flags;
  int priority;
  unsigned long long id;
};

struct CUevent_st {
  unsigned flags;
  bool recorded;
  Clock::time_point time; // of the last record
};

namespace {

using namespace emu;

/// What handles are alive. A handle that was destroyed is told from a live one by looking it up,
/// never by touching what it points to.
struct Handles {
  std::mutex mutex;
  std::unordered_set<CUstream_st *> streams;
  std::unordered_set<CUevent_st *> events;
  unsigned long long next_id = 3; // after the special streams
};

Handles &handles() {
  static Handles &made = *new Handles;
  return made;
}

constexpr CUstream_st default_stream = {cudaStreamDefault, least_stream_priority, 1};

bool is_special(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/// Calls `use(const CUstream_st &)`, or answers that there is no such stream.
template <class Use> cudaError_t with_stream(cudaStream_t stream, Use use) {
  return device_call([&] {
    if (is_special(stream))
      return use(default_stream);
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    return h.streams.contains(stream) ? use(*stream) : cudaErrorInvalidResourceHandle;
  });
}

/// Calls `use(CUevent_st &)`, or answers that there is no such event.
template <class Use> cudaError_t with_event(cudaEvent_t event, Use use) {
  return device_call([&] {
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    return h.events.contains(event) ? use(*event) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace

namespace emu {

cudaError_t validate_stream(cudaStream_t stream) {
  if (is_special(stream)) // the usual case takes no lock
    return cudaSuccess;
  return with_stream(stream, [](const CUstream_st &) { return cudaSuccess; });
}

void destroy_streams_and_events() {
  Handles &h = handles();
  const std::lock_guard lock(h.mutex);
  for (CUstream_st *stream : h.streams)
    delete stream;
  for (CUevent_st *event : h.events)
    delete event;
  h.streams.clear();
  h.events.clear();
}

} // namespace emu

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  return device_call([&] {
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    // CUDA moves a priority out of range to the nearest that exists.
    if (priority < greatest_stream_priority)
      priority = greatest_stream_priority;
    if (priority > least_stream_priority)
      priority = least_stream_priority;
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    *stream = new CUstream_st{flags, priority, h.next_id++};
    h.streams.insert(*stream);
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
  return device_call([&] {
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    if (is_special(stream) || h.streams.erase(stream) == 0)
      return cudaErrorInvalidResourceHandle;
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream, [](const CUstream_st &) { return cudaSuccess; });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream(stream, [](const CUstream_st &) { return cudaSuccess; });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return device_call([&] {
    if (flags != cudaEventWaitDefault)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    return with_event(event, [](const CUevent_st &) { return cudaSuccess; });
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  return with_stream(stream, [&](const CUstream_st &s) {
    if (flags == nullptr)
      return cudaErrorInvalidValue;
    *flags = s.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return with_stream(stream, [&](const CUstream_st &s) {
    if (priority == nullptr)
      return cudaErrorInvalidValue;
    *priority = s.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return with_stream(stream, [&](const CUstream_st &s) {
    if (id == nullptr)
      return cudaErrorInvalidValue;
    *id = stream == cudaStreamPerThread ? 2 : s.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return with_stream(stream, [&](const CUstream_st &) {
    if (device == nullptr)
      return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return with_stream(stream, [&](const CUstream_st &) {
    if (status == nullptr)
      return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

// Callbacks run after the look-up, outside its lock: they may not call CUDA, but some do.

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback,
                                  void *user_data,
                                  unsigned int flags) {
  return device_call([&] {
    if (callback == nullptr || flags != 0)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    callback(stream, cudaSuccess, user_data);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
  return device_call([&] {
    if (function == nullptr)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    function(user_data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  return device_call([&] {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    const bool interprocess = (flags & cudaEventInterprocess) != 0;
    if (event == nullptr || (flags & ~known) != 0 ||
        (interprocess && (flags & cudaEventDisableTiming) == 0))
      return cudaErrorInvalidValue;
    if (interprocess)
      return cudaErrorNotSupported;
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    *event = new CUevent_st{flags, false, {}};
    h.events.insert(*event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return device_call([&] {
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    if (h.events.erase(event) == 0)
      return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return device_call([&] {
    if (flags != cudaEventRecordDefault)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    return with_event(event, [](CUevent_st &e) {
      e.recorded = true;
      e.time = Clock::now();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [](const CUevent_st &) { return cudaSuccess; });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [](const CUevent_st &) { return cudaSuccess; });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call([&] {
    if (milliseconds == nullptr)
      return cudaErrorInvalidValue;
    Handles &h = handles();
    const std::lock_guard lock(h.mutex);
    for (const cudaEvent_t event : {start, end})
      if (!h.events.contains(event) || !event->recorded ||
          (event->flags & cudaEventDisableTiming) != 0)
        return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return cudaSuccess;
  });
}
