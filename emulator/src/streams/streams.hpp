// Streams behind their handles, and what is submitted to them.
#pragma once

#include <memory>

#include "context/api.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "streams/scheduler.hpp"

namespace emu {

/// The queue of a stream that exists.
QueuePointer queue_of(cudaStream_t stream);
/// The legacy default stream of a device.
const QueuePointer &default_queue(int device);

/// For calls about a stream: as device_call(), and it must exist.
inline cudaError_t stream_call(cudaStream_t stream, auto body) {
  return device_call([&] {
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error : body();
  });
}

/// Gives a task to a stream, which must exist. \return an error of the capture, if there is one,
/// or what has ruined the context meanwhile
cudaError_t submit(cudaStream_t stream, const TaskPointer &task);

/// Runs work that is submitted to a stream, now or when its time has come.
/// \param describe  called with the Task to fill in, if there is one
cudaError_t perform(cudaStream_t stream, TaskKind kind, const char *name, auto describe, auto run) {
  if (!tasks_are_tracked()) {
    run();
    return cudaSuccess;
  }
  const auto task = std::make_shared<Task>(kind, name);
  describe(*task);
  task->run = run;
  return submit(stream, task);
}

/// Parts of cudaDeviceReset.
void destroy_streams(int device);
void destroy_events(int device);

} // namespace emu
