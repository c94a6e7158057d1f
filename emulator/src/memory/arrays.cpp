#include "memory/arrays.hpp"

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "memory/allocations.hpp"

namespace emu {
namespace {

struct Arrays {
  std::mutex mutex;
  std::unordered_set<cudaArray_const_t> alive;
};

Arrays &arrays() {
  static Arrays &made = *new Arrays;
  return made;
}

/// Calls `use(const cudaArray &)`, or answers that there is no such array.
template <class Use> cudaError_t with_array(cudaArray_const_t array, Use use) {
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

bool is_array(cudaArray_const_t array) {
  Arrays &a = arrays();
  const std::lock_guard lock(a.mutex);
  return a.alive.contains(array);
}

void destroy_arrays() {
  Arrays &a = arrays();
  const std::lock_guard lock(a.mutex);
  for (cudaArray_const_t array : a.alive)
    delete array; // its memory is freed with all other
  a.alive.clear();
}

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
    *array = new cudaArray(made);
    Arrays &a = arrays();
    const std::lock_guard lock(a.mutex);
    a.alive.insert(*array);
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
  return device_call([&] {
    if (array == nullptr)
      return cudaSuccess;
    {
      Arrays &a = arrays();
      const std::lock_guard lock(a.mutex);
      if (a.alive.erase(array) == 0)
        return cudaErrorInvalidResourceHandle;
    }
    release(array->memory, [](MemoryKind kind) { return kind == MemoryKind::device; });
    delete array;
    return cudaSuccess;
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
  return with_array(array, [&](const cudaArray &a) {
    if (format == nullptr)
      return cudaErrorInvalidValue;
    *format = a.format;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to,
                                     size_t x,
                                     size_t y,
                                     const void *from,
                                     size_t from_pitch,
                                     size_t width,
                                     size_t height,
                                     cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return with_array(to, [&](const cudaArray &a) {
    if (x + width > a.pitch() || y + height > a.height())
      return cudaErrorInvalidValue;
    char *place = a.memory + y * a.pitch() + x;
    return cudaMemcpy2DAsync(place, a.pitch(), from, from_pitch, width, height, kind, stream);
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
  return with_array(from, [&](const cudaArray &a) {
    if (x + width > a.pitch() || y + height > a.height())
      return cudaErrorInvalidValue;
    const char *place = a.memory + y * a.pitch() + x;
    return cudaMemcpy2DAsync(to, to_pitch, place, a.pitch(), width, height, kind, stream);
  });
}

cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return with_array(to, [&](const cudaArray &a) {
    const size_t first = y * a.pitch() + x, all = a.pitch() * a.height();
    if (first > all || bytes > all - first)
      return cudaErrorInvalidValue;
    return cudaMemcpy(a.memory + first, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromArray(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
  return with_array(from, [&](const cudaArray &a) {
    const size_t first = y * a.pitch() + x, all = a.pitch() * a.height();
    if (first > all || bytes > all - first)
      return cudaErrorInvalidValue;
    return cudaMemcpy(to, a.memory + first, bytes, kind);
  });
}
