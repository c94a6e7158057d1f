// Copying and setting memory, and the access to `__device__` variables.
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

cudaError_t copy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  if (!known_kind(kind))
    return cudaErrorInvalidMemcpyDirection;
  const cudaError_t error = check_copy(to, size, from, size, kind);
  if (error == cudaSuccess) {
    std::memmove(to, from, size);
    note_written(to, size);
  }
  return error;
}

/// Bytes from the first one of the first row to the last one of the last row; 0 if too many to be.
size_t span(size_t pitch, size_t width, size_t rows) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, rows - 1, &bytes) ||
      __builtin_add_overflow(bytes, width, &bytes))
    return 0;
  return bytes;
}

cudaError_t copy_rows(void *to,
                      size_t to_pitch,
                      const void *from,
                      size_t from_pitch,
                      size_t width,
                      size_t rows,
                      cudaMemcpyKind kind) {
  if (!known_kind(kind))
    return cudaErrorInvalidMemcpyDirection;
  if (to_pitch < width || from_pitch < width)
    return cudaErrorInvalidPitchValue;
  const size_t to_span = span(to_pitch, width, rows);
  const size_t from_span = span(from_pitch, width, rows);
  if (to_span == 0 || from_span == 0)
    return cudaErrorInvalidValue;
  if (const cudaError_t error = check_copy(to, to_span, from, from_span, kind);
      error != cudaSuccess)
    return error;
  for (size_t row = 0; row < rows; ++row) {
    std::memmove(static_cast<char *>(to) + row * to_pitch,
                 static_cast<const char *>(from) + row * from_pitch,
                 width);
    note_written(static_cast<char *>(to) + row * to_pitch, width);
  }
  return cudaSuccess;
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

cudaError_t copy_box(cudaMemcpy3DParms c) {
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
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      char *row = to.first + z * to.slice_pitch + y * to.pitch;
      std::memmove(row, from.first + z * from.slice_pitch + y * from.pitch, extent.width);
      note_written(row, extent.width);
    }
  return cudaSuccess;
}

cudaError_t set_rows(void *memory, size_t pitch, int value, size_t width, size_t rows) {
  if (rows > 1 && pitch < width)
    return cudaErrorInvalidValue;
  const size_t bytes = span(pitch, width, rows);
  if (bytes == 0 || !accessible(memory, bytes, true))
    return cudaErrorInvalidValue;
  for (size_t row = 0; row < rows; ++row) {
    std::memset(static_cast<char *>(memory) + row * pitch, value, width);
    note_written(static_cast<char *>(memory) + row * pitch, width);
  }
  return cudaSuccess;
}

} // namespace

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  if (size == 0)
    return cudaSuccess; // even where the context is ruined
  return device_call([&] {
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error : copy(to, from, size, kind);
  });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, size, kind, nullptr);
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
  if (width == 0 || height == 0)
    return cudaSuccess;
  return device_call([&] {
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error
                                : copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
  });
}

cudaError_t cudaMemcpy2D(void *to,
                         size_t to_pitch,
                         const void *from,
                         size_t from_pitch,
                         size_t width,
                         size_t height,
                         cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return device_call([&] {
    if (parameters == nullptr)
      return cudaErrorInvalidValue;
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error : copy_box(*parameters);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  return cudaMemcpy3DAsync(parameters, nullptr);
}

cudaError_t cudaMemset2DAsync(
    void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  return device_call([&] {
    const cudaError_t error = validate_stream(stream);
    return error != cudaSuccess ? error : set_rows(memory, pitch, value, width, height);
  });
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(memory, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t size, cudaStream_t stream) {
  return cudaMemset2DAsync(memory, size, value, size, 1, stream);
}

cudaError_t cudaMemset(void *memory, int value, size_t size) {
  return cudaMemsetAsync(memory, value, size, nullptr);
}

cudaError_t
cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
    return cudaSuccess;
  return device_call([&] {
    if (const cudaError_t error = validate_stream(stream); error != cudaSuccess)
      return error;
    const size_t slice_pitch = memory.pitch * memory.ysize;
    for (size_t z = 0; z < extent.depth; ++z) {
      char *const slice = static_cast<char *>(memory.ptr) + z * slice_pitch;
      const cudaError_t error = set_rows(slice, memory.pitch, value, extent.width, extent.height);
      if (error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return cudaMemset3DAsync(memory, value, extent, nullptr);
}

// ------------------------------------------------------------------------- __device__ variables

namespace emu {
namespace {

/// From here on the variable counts as device memory (entering it again changes nothing).
void make_known(Symbol symbol) { enter(symbol.address, symbol.size, MemoryKind::symbol, 0); }

cudaError_t check_symbol_range(Symbol symbol, size_t size, size_t offset) {
  return offset <= symbol.size && size <= symbol.size - offset ? cudaSuccess
                                                               : cudaErrorInvalidValue;
}

} // namespace

cudaError_t copy_to_symbol(Symbol symbol,
                           const void *from,
                           size_t size,
                           size_t offset,
                           cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return device_call([&] {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = check_symbol_range(symbol, size, offset); error != cudaSuccess)
      return error;
    make_known(symbol);
    return cudaMemcpyAsync(static_cast<char *>(symbol.address) + offset, from, size, kind, stream);
  });
}

cudaError_t copy_from_symbol(
    void *to, Symbol symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return device_call([&] {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = check_symbol_range(symbol, size, offset); error != cudaSuccess)
      return error;
    make_known(symbol);
    return cudaMemcpyAsync(to, static_cast<char *>(symbol.address) + offset, size, kind, stream);
  });
}

cudaError_t symbol_address(void **address, Symbol symbol) {
  return device_call([&] {
    if (address == nullptr)
      return cudaErrorInvalidValue;
    make_known(symbol);
    *address = symbol.address;
    return cudaSuccess;
  });
}

cudaError_t symbol_size(size_t *size, Symbol symbol) {
  return device_call([&] {
    if (size == nullptr)
      return cudaErrorInvalidValue;
    *size = symbol.size;
    return cudaSuccess;
  });
}

} // namespace emu
