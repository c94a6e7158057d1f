// Copying and setting memory.
//
// CUDA looks at the pointers, not only at the direction given: a copy fails if a side that the
// direction calls the device's is plain host memory, or if it runs over the end of an allocation.
// A device pointer where the host is named is accepted (addresses are unified).
#include <cstring>
#include <tuple>

#include "allocations.hpp"
#include "api.hpp"
#include "arrays.hpp"
#include "emu/runtime_memory.hpp"
#include "emu/runtime_streams.hpp"
#include "tasks.hpp"
#include "watcher.hpp"

namespace {

using namespace emu;

bool known_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

/// Whether the `size` bytes (at least one) may be one side of a copy.
/// \param on_device  the direction says that this side is device memory
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

cudaError_t
check_copy(const void *to, size_t to_size, const void *from, size_t from_size, cudaMemcpyKind k) {
  const bool to_device = k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice;
  const bool from_device = k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice;
  return accessible(to, to_size, to_device) && accessible(from, from_size, from_device)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

/// Tells the instruments, where there are any, of memory that was not written by a kernel.
void note_written(void *memory, size_t size) {
  if (watcher)
    watcher->memory_written(memory, size);
}

/// How a copy was asked for.
struct Call {
  const char *name;
  cudaStream_t stream;
  bool synchronous;
};

enum class Side : unsigned char { pageable, pinned, managed, device };

Side side_of(const void *memory) {
  const auto found = find_allocation(memory);
  if (!found)
    return Side::pageable;
  switch (found->kind) {
  case MemoryKind::pinned:
  case MemoryKind::registered:
    return Side::pinned;
  case MemoryKind::managed:
    return Side::managed;
  default:
    return Side::device;
  }
}

/// Describes a copy of strips of the same shape.
void describe_copy(Task &task, const Strip &to, const Strip &from, bool synchronous) {
  const Side target = side_of(to.first), source = side_of(from.first);
  const bool to_host = target <= Side::pinned, from_host = source <= Side::pinned;
  task.route = to_host && from_host ? Route::in_host
               : from_host          ? Route::to_device
               : to_host            ? Route::to_host
                                    : Route::in_device;
  task.pageable = target == Side::pageable || source == Side::pageable;
  task.bytes = to.bytes();
  task.reads = {from};
  task.writes = {to};
  // As CUDA documents for each pair of sides; a copy inside the device waits for nobody.
  if ((synchronous && task.route != Route::in_device) || task.route == Route::in_host ||
      (synchronous && (target == Side::managed || source == Side::managed)))
    task.returns = Returns::when_done;
  else if (task.pageable)
    task.returns = Returns::when_copied;
}

void run_copy(const Strip &to, const Strip &from) {
  for (size_t z = 0; z < to.slices; ++z)
    for (size_t y = 0; y < to.rows; ++y) {
      char *row = const_cast<char *>(to.first) + z * to.slice_pitch + y * to.pitch;
      std::memmove(row, from.first + z * from.slice_pitch + y * from.pitch, to.width);
      note_written(row, to.width);
    }
}

cudaError_t copy_strips(const Call &call, const Strip &to, const Strip &from) {
  return perform(
      call.stream,
      TaskKind::copy,
      call.name,
      [&](Task &task) { describe_copy(task, to, from, call.synchronous); },
      [to, from] { run_copy(to, from); });
}

cudaError_t copy(const Call &call, void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  if (size == 0)
    return cudaSuccess; // even where the context is ruined
  return device_call([&] {
    if (const cudaError_t error = validate_stream(call.stream); error != cudaSuccess)
      return error;
    if (!known_kind(kind))
      return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = check_copy(to, size, from, size, kind); error != cudaSuccess)
      return error;
    return copy_strips(
        call, {static_cast<const char *>(to), size}, {static_cast<const char *>(from), size});
  });
}

/// Bytes from the first one of the first row to the last one of the last row; 0 if too many to be.
size_t span(size_t pitch, size_t width, size_t rows) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, rows - 1, &bytes) ||
      __builtin_add_overflow(bytes, width, &bytes))
    return 0;
  return bytes;
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
    return cudaSuccess;
  return device_call([&] {
    if (const cudaError_t error = validate_stream(call.stream); error != cudaSuccess)
      return error;
    if (!known_kind(kind))
      return cudaErrorInvalidMemcpyDirection;
    if (to.pitch < width || from.pitch < width)
      return cudaErrorInvalidPitchValue;
    const size_t to_span = span(to.pitch, width, rows);
    const size_t from_span = span(from.pitch, width, rows);
    if (to_span == 0 || from_span == 0)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = check_copy(to.first, to_span, from.first, from_span, kind);
        error != cudaSuccess)
      return error;
    return copy_strips(call,
                       {static_cast<const char *>(to.first), width, rows, to.pitch},
                       {static_cast<const char *>(from.first), width, rows, from.pitch});
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
  if (const cudaError_t error = replace_arrays(c); error != cudaSuccess)
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
  if (const cudaError_t error = check_copy(to.first, to_span, from.first, from_span, c.kind);
      error != cudaSuccess)
    return error;
  const auto strip = [&](const Box &box) {
    return Strip{box.first, extent.width, extent.height, box.pitch, extent.depth, box.slice_pitch};
  };
  return copy_strips(call, strip(to), strip(from));
}

cudaError_t set_strip(const Call &call, const Strip &strip, int value) {
  if (strip.rows > 1 && strip.pitch < strip.width)
    return cudaErrorInvalidValue;
  const size_t slice = span(strip.pitch, strip.width, strip.rows);
  const size_t bytes = slice == 0 ? 0 : span(strip.slice_pitch, slice, strip.slices);
  if (bytes == 0 || !accessible(strip.first, bytes, true))
    return cudaErrorInvalidValue;
  return perform(
      call.stream,
      TaskKind::set,
      call.name,
      [&](Task &task) {
        task.route = Route::in_device;
        task.bytes = strip.bytes();
        task.writes = {strip};
        if (call.synchronous && side_of(strip.first) != Side::device)
          task.returns = Returns::when_done;
      },
      [strip, value] {
        for (size_t z = 0; z < strip.slices; ++z)
          for (size_t y = 0; y < strip.rows; ++y) {
            char *row = const_cast<char *>(strip.first) + z * strip.slice_pitch + y * strip.pitch;
            std::memset(row, value, strip.width);
            note_written(row, strip.width);
          }
      });
}

cudaError_t
set_rows(const Call &call, void *memory, size_t pitch, int value, size_t width, size_t height) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  return device_call([&] {
    const cudaError_t error = validate_stream(call.stream);
    return error != cudaSuccess
               ? error
               : set_strip(call, {static_cast<const char *>(memory), width, height, pitch}, value);
  });
}

cudaError_t
set_box(const Call &call, const cudaPitchedPtr &memory, int value, const cudaExtent &extent) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return cudaSuccess;
  return device_call([&] {
    const cudaError_t error = validate_stream(call.stream);
    return error != cudaSuccess ? error
                                : set_strip(call,
                                            {static_cast<const char *>(memory.ptr),
                                             extent.width,
                                             extent.height,
                                             memory.pitch,
                                             extent.depth,
                                             memory.pitch * memory.ysize},
                                            value);
  });
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
  return device_call([&] {
    if (!valid_device(to_device) || !valid_device(from_device))
      return cudaErrorInvalidDevice;
    return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream);
  });
}

cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, size, nullptr);
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
