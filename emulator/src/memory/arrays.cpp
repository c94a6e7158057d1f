#include "memory/arrays.hpp"

#include "context/api.hpp"
#include "context/handles.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "memory/allocations.hpp"

namespace emu {
namespace {

/// Calls `use(const cudaArray &)`, or answers that there is no such array.
cudaError_t with_array(cudaArray_const_t array, auto use) {
  return device_call([&] {
    if (array == nullptr)
      return cudaErrorInvalidValue;
    return is_array(array) ? use(*array) : cudaErrorInvalidResourceHandle;
  });
}

bool is_valid_shape(const cudaExtent &extent, unsigned flags) {
  if (extent.width == 0)
    return false;
  if (flags & cudaArrayCubemap) {
    const bool six =
        flags & cudaArrayLayered ? extent.depth > 0 && extent.depth % 6 == 0 : extent.depth == 6;
    return six && extent.width == extent.height;
  }
  if (flags & cudaArrayLayered)
    return extent.depth > 0;
  return extent.depth == 0 || extent.height > 0;
}

} // namespace

size_t element_size(const cudaChannelFormatDesc &format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  int channels = 0;
  while (channels < 4 && bits[channels] != 0)
    ++channels;
  const bool known = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  const bool is_float = format.f == cudaChannelFormatKindFloat;
  if (!known || channels == 0 || channels == 3 || (is_float && bits[0] == 8) ||
      (!is_float && format.f != cudaChannelFormatKindSigned &&
       format.f != cudaChannelFormatKindUnsigned))
    return 0;
  for (int i = 0; i < 4; ++i)
    if (bits[i] != (i < channels ? bits[0] : 0))
      return 0;
  return static_cast<size_t>(channels * bits[0] / 8);
}

bool is_array(cudaArray_const_t array) { return handles<cudaArray>().contains(array); }

void destroy_arrays() {
  handles<cudaArray>().destroy_all();
} // their memory is freed with all other

cudaPitchedPtr pitched(cudaArray_const_t array) {
  return {array->memory, array->pitch(), array->pitch(), array->height()};
}

} // namespace emu

using namespace emu;

cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const cudaChannelFormatDesc *format,
                              cudaExtent extent,
                              unsigned int flags) {
  return device_call([&] {
    constexpr unsigned known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
    if (array == nullptr || format == nullptr || (flags & ~known) != 0 ||
        !is_valid_shape(extent, flags))
      return cudaErrorInvalidValue;
    const size_t element = element_size(*format);
    if (element == 0)
      return cudaErrorInvalidChannelDescriptor;
    cudaArray made{*format, extent, flags, element, nullptr};
    size_t bytes = 0;
    if (__builtin_mul_overflow(made.pitch(), made.height() * made.depth(), &bytes))
      return cudaErrorMemoryAllocation;
    made.memory = static_cast<char *>(allocate(bytes, MemoryKind::device, 0, current_device));
    if (made.memory == nullptr)
      return cudaErrorMemoryAllocation;
    *array = handles<cudaArray>().enter(new cudaArray(made));
    return cudaSuccess;
  });
}

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const cudaChannelFormatDesc *format,
                            size_t width,
                            size_t height,
                            unsigned int flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return release_call([&] {
    if (array == nullptr)
      return cudaSuccess;
    const cudaError_t error = handles<cudaArray>().with(array, [](const cudaArray &a) {
      release(a.memory, [](MemoryKind kind) { return kind == MemoryKind::device; });
      return cudaSuccess;
    });
    return error != cudaSuccess ? error : handles<cudaArray>().destroy(array);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format,
                             cudaExtent *extent,
                             unsigned int *flags,
                             cudaArray_t array) {
  return with_array(array, [&](const cudaArray &a) {
    if (format != nullptr)
      *format = a.format;
    if (extent != nullptr)
      *extent = a.extent;
    if (flags != nullptr)
      *flags = a.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
  return with_array(array, [&](const cudaArray &a) { return answer(format, a.format); });
}

namespace {

/// Calls `use` with the place in the array where a copy of rows begins.
cudaError_t
with_rows(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height, auto use) {
  return with_array(array, [&](const cudaArray &a) {
    return x + width > a.pitch() || y + height > a.height()
               ? cudaErrorInvalidValue
               : use(a.memory + y * a.pitch() + x, a.pitch());
  });
}

/// The same for a copy of bytes that run on from row to row.
cudaError_t with_bytes(cudaArray_const_t array, size_t x, size_t y, size_t bytes, auto use) {
  return with_array(array, [&](const cudaArray &a) {
    const size_t first = y * a.pitch() + x, all = a.pitch() * a.height();
    return first > all || bytes > all - first ? cudaErrorInvalidValue : use(a.memory + first);
  });
}

} // namespace

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to,
                                     size_t x,
                                     size_t y,
                                     const void *from,
                                     size_t from_pitch,
                                     size_t width,
                                     size_t height,
                                     cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return with_rows(to, x, y, width, height, [&](char *place, size_t pitch) {
    return cudaMemcpy2DAsync(place, pitch, from, from_pitch, width, height, kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to,
                                       size_t to_pitch,
                                       cudaArray_const_t from,
                                       size_t x,
                                       size_t y,
                                       size_t width,
                                       size_t height,
                                       cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return with_rows(from, x, y, width, height, [&](const char *place, size_t pitch) {
    return cudaMemcpy2DAsync(to, to_pitch, place, pitch, width, height, kind, stream);
  });
}

cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return with_bytes(
      to, x, y, bytes, [&](char *place) { return cudaMemcpy(place, from, bytes, kind); });
}

cudaError_t cudaMemcpyFromArray(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
  return with_bytes(
      from, x, y, bytes, [&](const char *place) { return cudaMemcpy(to, place, bytes, kind); });
}
