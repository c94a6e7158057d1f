// Events: recorded in a stream, waited for by other streams and by the host.
#include <chrono>
#include <cstring>
#include <unistd.h>

#include "context/api.hpp"
#include "context/handles.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/watcher.hpp"
#include "streams/capture.hpp"
#include "streams/streams.hpp"

using Clock = std::chrono::steady_clock;

struct CUevent_st {
  static constexpr const char *destroyed_by = "cudaEventDestroy";
  /// One record: its task may run when the event has been recorded anew.
  struct Record {
    Clock::time_point time;
    emu::TaskPointer task; // null where tasks are not tracked: it has happened
    emu::CapturedEvent captured;
  };
  unsigned flags;
  int device;
  std::shared_ptr<Record> last; // null: not recorded yet
};

namespace {

using namespace emu;
using Record = CUevent_st::Record;

/// What a cudaIpcEventHandle_t says.
struct SharedEvent {
  uint64_t mark;
  int32_t process, device;
};
constexpr uint64_t shared_event_mark = 0x746e657665756d65;

Handles<CUevent_st> &events() { return handles<CUevent_st>(); }

/// Calls `use(const std::shared_ptr<Record> &)` with the last record, or answers that there is no
/// such event.
cudaError_t with_record(cudaEvent_t event, auto use) {
  return device_call([&] {
    std::shared_ptr<Record> last;
    const cudaError_t error = events().with(event, [&](const CUevent_st &e) {
      last = e.last;
      return cudaSuccess;
    });
    return error != cudaSuccess ? error : use(last);
  });
}

/// For the host: an event that was captured never happens by itself, and asking for it while it is
/// being captured ends the capture.
cudaError_t with_happening(cudaEvent_t event, auto use) {
  return with_record(event, [&](const std::shared_ptr<Record> &last) {
    if (last && last->captured.capture)
      return touch_captured(last->captured);
    return use(last ? last->task : nullptr);
  });
}

cudaError_t record(cudaEvent_t event, const QueuePointer &queue) {
  const auto made = std::make_shared<Record>();
  bool interprocess = false;
  uint64_t before = 0;
  const auto look = [&](const CUevent_st &e) {
    interprocess = (e.flags & cudaEventInterprocess) != 0;
    before = e.last && e.last->task ? e.last->task->number : 0;
    if (e.device == queue->device)
      return cudaSuccess;
    if (runtime_watcher)
      call_in_question = "cudaEventRecord of an event of device " + std::to_string(e.device) +
                         " in a stream of device " + std::to_string(queue->device) +
                         " (it can be recorded in streams of its own device alone)";
    return cudaErrorInvalidResourceHandle;
  };
  if (const cudaError_t error = events().with(event, look))
    return error;
  // Last, as other host threads may ask for it at once.
  const auto publish = [&] {
    return events().with(event, [&](CUevent_st &e) {
      e.last = made;
      return cudaSuccess;
    });
  };
  if (!tasks_are_tracked()) {
    made->time = Clock::now();
    return publish();
  }
  if (record_in_capture(*queue, made->captured))
    return publish();
  made->task = std::make_shared<Task>(TaskKind::event, "cudaEventRecord");
  made->task->record_before = before;
  made->task->run = [record = std::weak_ptr(made)] {
    if (const auto wanted = record.lock()) // not if the event was recorded anew meanwhile
      wanted->time = Clock::now();
  };
  const TaskPointer task = made->task;
  cudaError_t error = submit_after(queue, task);
  if (error == cudaSuccess)
    error = publish();
  // Other processes cannot look whether it has happened: for them it has.
  return error == cudaSuccess && interprocess && !runtime_watcher ? wait_for(task) : error;
}

} // namespace

void emu::destroy_events(int device) {
  events().destroy_if([device](const CUevent_st &event) { return event.device == device; });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  return device_call([&] {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    const bool interprocess = (flags & cudaEventInterprocess) != 0;
    if (event == nullptr || (flags & ~known) != 0 ||
        (interprocess && (flags & cudaEventDisableTiming) == 0))
      return cudaErrorInvalidValue;
    *event = events().enter(new CUevent_st{flags, current_device, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  return device_call([&] {
    if (handle == nullptr)
      return cudaErrorInvalidValue;
    return events().with(event, [&](const CUevent_st &e) {
      if ((e.flags & cudaEventInterprocess) == 0)
        return cudaErrorInvalidResourceHandle;
      const SharedEvent shared = {shared_event_mark, getpid(), e.device};
      *handle = {};
      std::memcpy(handle->reserved, &shared, sizeof shared);
      return cudaSuccess;
    });
  });
}

// A record of the other process has happened when its call returned, so this event of the same flags, which
// nobody has recorded, says what is to be said: there is nothing to wait for.
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
  return device_call([&] {
    SharedEvent shared;
    std::memcpy(&shared, handle.reserved, sizeof shared);
    if (event == nullptr)
      return cudaErrorInvalidValue;
    if (shared.mark != shared_event_mark)
      return cudaErrorInvalidResourceHandle;
    if (shared.process == getpid())
      return cudaErrorDeviceUninitialized;
    if (!valid_device(shared.device))
      return cudaErrorInvalidDevice;
    *event = events().enter(
        new CUevent_st{cudaEventInterprocess | cudaEventDisableTiming, shared.device, nullptr});
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return release_call([&] { return events().destroy(event); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return device_call([&] {
    if (flags != cudaEventRecordDefault)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream))
      return error;
    return record(event, queue_of(stream));
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_happening(event, [](const TaskPointer &task) {
    return is_done(task) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_happening(event, [](const TaskPointer &task) { return wait_for(task); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return device_call([&] {
    if (flags != cudaEventWaitDefault)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = validate_stream(stream))
      return error;
    return with_record(event, [&](const std::shared_ptr<Record> &last) {
      if (!last) {
        if (runtime_watcher)
          runtime_watcher->waited_in_vain(queue_of(stream)->number);
        return cudaSuccess; // there is nothing to wait for
      }
      if (last->captured.capture && !is_capturing(last->captured))
        return cudaErrorInvalidValue;
      const QueuePointer queue = queue_of(stream);
      if (is_captured(*queue) || is_capturing(last->captured))
        return wait_in_capture(queue, last->captured);
      if (!last->task)
        return cudaSuccess;
      return submit_after(
          queue, std::make_shared<Task>(TaskKind::wait, "cudaStreamWaitEvent"), {last->task});
    });
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call([&] {
    if (milliseconds == nullptr)
      return cudaErrorInvalidValue;
    std::shared_ptr<Record> from, to;
    int device = -1; // of both
    for (const auto &[event, last] : {std::pair(start, &from), std::pair(end, &to)}) {
      const auto look = [&, where = last](const CUevent_st &e) {
        if (!e.last || (e.flags & cudaEventDisableTiming) != 0 ||
            (device >= 0 && e.device != device))
          return cudaErrorInvalidResourceHandle;
        device = e.device;
        *where = e.last;
        return cudaSuccess;
      };
      if (const cudaError_t error = events().with(event, look))
        return error;
    }
    for (const auto &record : {from, to})
      if (record->captured.capture)
        return cudaErrorInvalidValue;
    for (const auto &record : {from, to})
      if (record->task && !record->task->done)
        return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    return cudaSuccess;
  });
}
