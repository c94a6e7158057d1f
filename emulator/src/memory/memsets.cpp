// Setting memory to a byte.
#include <array>
#include <cstring>

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/watcher.hpp"
#include "memory/copies.hpp"
#include "memory/device_variables.hpp"
#include "streams/streams.hpp"

namespace {

using namespace emu;

cudaError_t set_strip(const Call &call, const Strip &strip, int value) {
  if (strip.rows > 1 && strip.pitch < strip.width)
    return cudaErrorInvalidValue;
  const size_t slice = span(strip.pitch, strip.width, strip.rows);
  const size_t bytes = slice == 0 ? 0 : span(strip.slice_pitch, slice, strip.slices);
  if (runtime_watcher)
    runtime_watcher->handed_over(call.name, strip.first, bytes, true, true);
  if (bytes == 0 || !within_reach(call.name, strip.first, bytes, true, true))
    return cudaErrorInvalidValue;
  const Whereabouts where = whereabouts(strip.first);
  const QueuePointer queue = queue_of(call.stream);
  if (where.side == MemorySide::device && !may_reach(queue->device, where.device))
    return cudaErrorInvalidValue;
  return perform(
      call.stream,
      TaskKind::set,
      call.name,
      [&](Task &task) {
        task.route = Route::in_device;
        task.bytes = strip.bytes();
        task.writes = {strip};
        task.writes[0].first = address_on(current_device, strip.first);
        if (call.synchronous && where.side != MemorySide::device)
          task.returns = Returns::when_done;
      },
      [strip, value, device = current_device] {
        const VariablesInUse variables(std::array{strip.first});
        char *const first = variables.place(strip.first, device);
        for (size_t z = 0; z < strip.slices; ++z)
          for (size_t y = 0; y < strip.rows; ++y) {
            char *row = first + z * strip.slice_pitch + y * strip.pitch;
            std::memset(row, value, strip.width);
            note_written(row, strip.width);
          }
      });
}

cudaError_t
set_rows(const Call &call, void *memory, size_t pitch, int value, size_t width, size_t height) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  return stream_call(call.stream, [&] {
    return set_strip(call, {static_cast<const char *>(memory), width, height, pitch}, value);
  });
}

cudaError_t
set_box(const Call &call, const cudaPitchedPtr &memory, int value, const cudaExtent &extent) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return cudaSuccess;
  return stream_call(call.stream, [&] {
    return set_strip(call,
                     {static_cast<const char *>(memory.ptr),
                      extent.width,
                      extent.height,
                      memory.pitch,
                      extent.depth,
                      memory.pitch * memory.ysize},
                     value);
  });
}

} // namespace

cudaError_t cudaMemset2DAsync(
    void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return set_rows({"cudaMemset2DAsync", stream, false}, memory, pitch, value, width, height);
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height) {
  return set_rows({"cudaMemset2D", nullptr, true}, memory, pitch, value, width, height);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream) {
  return set_rows({"cudaMemsetAsync", stream, false}, memory, size, value, size, 1);
}

cudaError_t cudaMemset(void *memory, int value, size_t size) {
  return set_rows({"cudaMemset", nullptr, true}, memory, size, value, size, 1);
}

cudaError_t
cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
  return set_box({"cudaMemset3DAsync", stream, false}, memory, value, extent);
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return set_box({"cudaMemset3D", nullptr, true}, memory, value, extent);
}
