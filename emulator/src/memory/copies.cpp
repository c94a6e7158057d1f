// Copying memory.
//
// CUDA looks at the pointers, not only at the direction given: a copy fails if a side that the
// direction calls the device's is plain host memory, or if it runs over the end of an allocation.
// A device pointer where the host is named is accepted (addresses are unified).
#include <array>
#include <cstring>
#include <string>
#include <tuple>

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/watcher.hpp"
#include "memory/allocations.hpp"
#include "memory/arrays.hpp"
#include "memory/copies.hpp"
#include "memory/device_variables.hpp"
#include "streams/streams.hpp"

namespace emu {

Whereabouts whereabouts(const void *memory) {
  const auto found = find_allocation(memory);
  if (!found)
    return {MemorySide::pageable, 0};
  switch (found->kind) {
  case MemoryKind::pinned:
  case MemoryKind::registered:
    return {MemorySide::pinned, found->device};
  case MemoryKind::managed:
    return {MemorySide::managed, found->device};
  case MemoryKind::symbol:
    return {MemorySide::device, current_device};
  default:
    return {MemorySide::device, found->device};
  }
}

bool accessible(const void *memory, size_t size, bool on_device) {
  if (memory == nullptr)
    return false;
  const auto found = find_allocation(memory);
  if (!found)
    return !on_device;
  if (!found->alive)
    return false;
  return found->kind == MemoryKind::registered || found->holds(memory, size);
}

bool within_reach(const char *call, const void *memory, size_t size, bool on_device, bool writes) {
  if (runs_over_host_memory(call, memory, size, writes))
    return false;
  if (accessible(memory, size, on_device))
    return true;
  if (!runtime_watcher || size == 0)
    return false;
  const auto found = find_allocation(memory);
  if (!found) {
    const std::string side = writes ? "target" : "source";
    call_in_question =
        std::string(call) +
        (memory == nullptr ? " with a null pointer as its " + side
                           : (writes ? " to the device with its " : " from the device with its ") +
                                 side + " in the host's memory");
    return false;
  }
  const std::string did = std::string(call) + (writes ? " writes " : " reads ");
  if (!found->alive)
    runtime_watcher->host_complained("use_after_free", (did + "memory that was freed").c_str());
  else if (!found->holds(memory, size))
    runtime_watcher->host_complained(
        "out_of_bounds",
        (did + std::to_string(size) + " bytes from byte " +
         std::to_string(static_cast<const char *>(memory) - found->base) +
         " on of an allocation of " + std::to_string(found->size))
            .c_str());
  return false;
}

size_t span(size_t pitch, size_t width, size_t rows) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, rows - 1, &bytes) ||
      __builtin_add_overflow(bytes, width, &bytes))
    return 0;
  return bytes;
}

void note_written(void *memory, size_t size) {
  if (runtime_watcher)
    runtime_watcher->memory_written(memory, size);
}

} // namespace emu

namespace {

using namespace emu;

bool known_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

cudaError_t check_copy(const Call &call,
                       const void *to,
                       size_t to_size,
                       const void *from,
                       size_t from_size,
                       cudaMemcpyKind k) {
  const bool to_device = k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice;
  const bool from_device = k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice;
  if (runtime_watcher) {
    runtime_watcher->handed_over(call.name, to, to_size, true, to_device);
    runtime_watcher->handed_over(call.name, from, from_size, false, from_device);
  }
  const bool can_write = within_reach(call.name, to, to_size, to_device, true);
  const bool can_read = within_reach(call.name, from, from_size, from_device, false);
  return can_write && can_read ? cudaSuccess : cudaErrorInvalidValue;
}

/// Describes a copy of strips of the same shape.
void describe_copy(Task &task, const Strip &to, const Strip &from, bool synchronous) {
  const Whereabouts target = whereabouts(to.first), source = whereabouts(from.first);
  const bool to_host = target.side <= MemorySide::pinned,
             from_host = source.side <= MemorySide::pinned;
  const bool between = target.side == MemorySide::device && source.side == MemorySide::device &&
                       target.device != source.device;
  task.route = to_host && from_host ? Route::in_host
               : from_host          ? Route::to_device
               : to_host            ? Route::to_host
               : between            ? Route::between_devices
                                    : Route::in_device;
  task.pageable = target.side == MemorySide::pageable || source.side == MemorySide::pageable;
  task.from_device = source.device;
  task.to_device = target.device;
  task.direct = may_reach(source.device, target.device) || may_reach(target.device, source.device);
  task.bytes = to.bytes();
  task.reads = {from};
  task.writes = {to};
  if (source.side == MemorySide::device) // else it is the host's variable of a name
    task.reads[0].first = address_on(source.device, from.first);
  if (target.side == MemorySide::device)
    task.writes[0].first = address_on(target.device, to.first);
  // As CUDA documents for each pair of sides; a copy inside the device waits for nobody.
  const bool on_devices = task.route == Route::in_device || between;
  if ((synchronous && !on_devices) || task.route == Route::in_host ||
      (synchronous && (target.side == MemorySide::managed || source.side == MemorySide::managed)))
    task.returns = Returns::when_done;
  else if (task.pageable)
    task.returns = Returns::when_copied;
}

/// \param device  whose `__device__` variables are meant
void run_copy(const Strip &to, const Strip &from, int device) {
  const VariablesInUse variables(std::array{to.first, from.first});
  char *const target = variables.place(to.first, device);
  const char *const source = variables.place(from.first, device);
  for (size_t z = 0; z < to.slices; ++z)
    for (size_t y = 0; y < to.rows; ++y) {
      char *row = target + z * to.slice_pitch + y * to.pitch;
      std::memmove(row, source + z * from.slice_pitch + y * from.pitch, to.width);
      note_written(row, to.width);
    }
}

/// A copy between two devices in a default stream waits for both of them, and both for it.
cudaError_t submit_between(const QueuePointer &queue, const TaskPointer &copy) {
  std::vector<int> others;
  for (const int device : {copy->from_device, copy->to_device})
    if (device != queue->device)
      others.push_back(device);
  std::vector<TaskPointer> before;
  for (const int device : others) {
    before.push_back(std::make_shared<Task>(TaskKind::join, copy->name));
    submit_after(default_queue(device), before.back());
  }
  const cudaError_t error = submit_after(queue, copy, before);
  for (const int device : others)
    submit_after(default_queue(device), std::make_shared<Task>(TaskKind::join, copy->name), {copy});
  return error;
}

cudaError_t copy_strips(const Call &call, const Strip &to, const Strip &from) {
  if (!tasks_are_tracked()) {
    run_copy(to, from, current_device);
    return cudaSuccess;
  }
  const auto task = std::make_shared<Task>(TaskKind::copy, call.name);
  describe_copy(*task, to, from, call.synchronous);
  task->run = [to, from, device = current_device] { run_copy(to, from, device); };
  const QueuePointer queue = queue_of(call.stream);
  return task->route == Route::between_devices && queue->kind == Queue::Kind::legacy &&
                 !CaughtTask::wanted()
             ? submit_between(queue, task)
             : submit_after(queue, task);
}

struct Rows {
  const void *first;
  size_t pitch;
};

cudaError_t copy_rows(const Call &call,
                      const Rows &to,
                      const Rows &from,
                      size_t width,
                      size_t rows,
                      cudaMemcpyKind kind) {
  if (width == 0 || rows == 0)
    return cudaSuccess; // even where the context is ruined
  return stream_call(call.stream, [&] {
    if (!known_kind(kind))
      return cudaErrorInvalidMemcpyDirection;
    if (to.pitch < width || from.pitch < width)
      return cudaErrorInvalidPitchValue;
    const size_t to_span = span(to.pitch, width, rows);
    const size_t from_span = span(from.pitch, width, rows);
    if (to_span == 0 || from_span == 0)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = check_copy(call, to.first, to_span, from.first, from_span, kind))
      return error;
    return copy_strips(call,
                       {static_cast<const char *>(to.first), width, rows, to.pitch},
                       {static_cast<const char *>(from.first), width, rows, from.pitch});
  });
}

cudaError_t copy(const Call &call, void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return copy_rows(call, {to, size}, {from, size}, size, 1, kind);
}

cudaError_t copy_between(
    const Call &call, void *to, int to_device, const void *from, int from_device, size_t size) {
  return device_call([&] {
    return valid_device(to_device) && valid_device(from_device)
               ? copy(call, to, from, size, cudaMemcpyDeviceToDevice)
               : cudaErrorInvalidDevice;
  });
}

struct Box {
  char *first;
  size_t pitch; // bytes between rows
  size_t slice_pitch; // bytes between slices
};

/// The corner at `position` of a box in pitched memory.
Box corner(const cudaPitchedPtr &memory, const cudaPos &position) {
  const size_t slice_pitch = memory.pitch * memory.ysize;
  return {static_cast<char *>(memory.ptr) + position.z * slice_pitch + position.y * memory.pitch +
              position.x,
          memory.pitch,
          slice_pitch};
}

/// The same copy without arrays. With an array in it, widths are in elements, and so are positions
/// in the array.
cudaError_t replace_arrays(cudaMemcpy3DParms &c) {
  const bool from_memory = c.srcArray == nullptr, to_memory = c.dstArray == nullptr;
  if (from_memory && to_memory)
    return cudaSuccess;
  size_t element = 0;
  for (const auto &[array, memory, position] : {std::tuple{c.srcArray, &c.srcPtr, &c.srcPos},
                                                std::tuple{c.dstArray, &c.dstPtr, &c.dstPos}}) {
    if (array == nullptr)
      continue;
    if (!is_array(array) || memory->ptr != nullptr)
      return cudaErrorInvalidValue;
    if (position->x + c.extent.width > array->width() ||
        position->y + c.extent.height > array->height() ||
        position->z + c.extent.depth > array->depth() ||
        (element != 0 && element != array->element))
      return cudaErrorInvalidValue;
    element = array->element;
    *memory = pitched(array);
    position->x *= element;
  }
  c.extent.width *= element;
  c.srcArray = c.dstArray = nullptr;
  return cudaSuccess;
}

cudaError_t copy_box(const Call &call, cudaMemcpy3DParms c) {
  if (const cudaError_t error = replace_arrays(c))
    return error;
  const cudaExtent &extent = c.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return cudaSuccess;
  if (!known_kind(c.kind))
    return cudaErrorInvalidMemcpyDirection;
  if (c.srcPtr.ptr == nullptr || c.dstPtr.ptr == nullptr)
    return cudaErrorInvalidValue;
  for (const cudaPitchedPtr *side : {&c.srcPtr, &c.dstPtr})
    if (side->pitch < extent.width || (extent.depth > 1 && side->ysize < extent.height))
      return cudaErrorInvalidPitchValue;
  const Box to = corner(c.dstPtr, c.dstPos);
  const Box from = corner(c.srcPtr, c.srcPos);
  const auto box_span = [&](const Box &box) {
    const size_t slice = span(box.pitch, extent.width, extent.height);
    return slice == 0 ? 0 : span(box.slice_pitch, slice, extent.depth);
  };
  const size_t to_span = box_span(to);
  const size_t from_span = box_span(from);
  if (to_span == 0 || from_span == 0)
    return cudaErrorInvalidValue;
  if (const cudaError_t error = check_copy(call, to.first, to_span, from.first, from_span, c.kind))
    return error;
  const auto strip = [&](const Box &box) {
    return Strip{box.first, extent.width, extent.height, box.pitch, extent.depth, box.slice_pitch};
  };
  return copy_strips(call, strip(to), strip(from));
}

cudaError_t copy_checked_box(const Call &call, const cudaMemcpy3DParms *parameters) {
  return device_call([&] {
    if (parameters == nullptr)
      return cudaErrorInvalidValue;
    const cudaError_t error = validate_stream(call.stream);
    return error != cudaSuccess ? error : copy_box(call, *parameters);
  });
}

} // namespace

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy({"cudaMemcpyAsync", stream, false}, to, from, size, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return copy({"cudaMemcpy", nullptr, true}, to, from, size, kind);
}

cudaError_t cudaMemcpyPeerAsync(
    void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream) {
  return copy_between(
      {"cudaMemcpyPeerAsync", stream, false}, to, to_device, from, from_device, size);
}

cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  return copy_between({"cudaMemcpyPeer", nullptr, true}, to, to_device, from, from_device, size);
}

cudaError_t cudaMemcpy2DAsync(void *to,
                              size_t to_pitch,
                              const void *from,
                              size_t from_pitch,
                              size_t width,
                              size_t height,
                              cudaMemcpyKind kind,
                              cudaStream_t stream) {
  const Call call = {"cudaMemcpy2DAsync", stream, false};
  return copy_rows(call, {to, to_pitch}, {from, from_pitch}, width, height, kind);
}

cudaError_t cudaMemcpy2D(void *to,
                         size_t to_pitch,
                         const void *from,
                         size_t from_pitch,
                         size_t width,
                         size_t height,
                         cudaMemcpyKind kind) {
  const Call call = {"cudaMemcpy2D", nullptr, true};
  return copy_rows(call, {to, to_pitch}, {from, from_pitch}, width, height, kind);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return copy_checked_box({"cudaMemcpy3DAsync", stream, false}, parameters);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  return copy_checked_box({"cudaMemcpy3D", nullptr, true}, parameters);
}
