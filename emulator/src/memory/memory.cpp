// Allocation: device, managed, pitched, pinned and registered memory, and the stream-ordered pool.
#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/limits.hpp"
#include "engine/watcher.hpp"
#include "memory/allocations.hpp"
#include "streams/capture.hpp"
#include "streams/streams.hpp"

namespace {

using namespace emu;

/// Allocates with CUDA's conventions: no place for the result is an error, no bytes give null.
cudaError_t
give(void **result, size_t size, MemoryKind kind, unsigned flags = 0, int device = current_device) {
  if (result == nullptr)
    return cudaErrorInvalidValue;
  if (const cudaError_t error = forbid_unsafe_call())
    return error;
  void *memory = size == 0 ? nullptr : allocate(size, kind, flags, device);
  if (size != 0 && memory == nullptr)
    return cudaErrorMemoryAllocation;
  if (runtime_watcher && memory)
    runtime_watcher->memory_allocated(*find_allocation(memory));
  *result = memory;
  return cudaSuccess;
}

cudaError_t take_back(void *memory, bool (*accepts)(MemoryKind)) {
  if (memory == nullptr)
    return cudaSuccess;
  if (const cudaError_t error = forbid_unsafe_call())
    return error;
  wait_for_all_tasks(); // as drivers do: what is queued may use it
  return release(memory, accepts) == FreeResult::freed ? cudaSuccess : cudaErrorInvalidValue;
}

bool freed_by_cuda_free(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::managed;
}
bool is_pinned(MemoryKind kind) { return kind == MemoryKind::pinned; }
bool is_registered(MemoryKind kind) { return kind == MemoryKind::registered; }

cudaError_t allocate_pinned(void **memory, size_t size, unsigned flags) {
  constexpr unsigned known =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0)
    return cudaErrorInvalidValue;
  return give(memory, size, MemoryKind::pinned, flags | cudaHostAllocMapped);
}

cudaError_t allocate_pitched(void **memory, size_t *pitch, size_t width, size_t rows) {
  if (memory == nullptr || pitch == nullptr)
    return cudaErrorInvalidValue;
  if (width > device_memory())
    return cudaErrorMemoryAllocation;
  const size_t row = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  size_t size = 0;
  if (__builtin_mul_overflow(row, rows, &size))
    return cudaErrorMemoryAllocation;
  const cudaError_t error = give(memory, size, MemoryKind::device);
  if (error == cudaSuccess)
    *pitch = size == 0 ? 0 : row;
  return error;
}

// ------------------------------------------------------------------------- the memory pool

// Each device has one. It hands all memory back at once, so most of its attributes only remember.
struct Pool {
  unsigned long long release_threshold = 0;
  int reuse_policies[3] = {1, 1, 1};
};
Pool pools[most_devices];

cudaMemPool_t pool_of(int device) { return reinterpret_cast<cudaMemPool_t>(&pools[device]); }

bool is_reuse_policy(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t give_pool(cudaMemPool_t *pool, int device) {
  if (pool == nullptr)
    return cudaErrorInvalidValue;
  if (!valid_device(device))
    return cudaErrorInvalidDevice;
  *pool = pool_of(device);
  return cudaSuccess;
}

/// Memory nodes of graphs are not there.
cudaError_t forbid_in_capture(cudaStream_t stream) {
  if (const cudaError_t error = validate_stream(stream))
    return error;
  return anything_captured() ? forbid_while_captured(*queue_of(stream)) : cudaSuccess;
}

} // namespace

int emu::owner_of(cudaMemPool_t pool) {
  for (int device = 0; device < device_count(); ++device)
    if (pool == pool_of(device))
      return device;
  return -1;
}

cudaError_t cudaMalloc(void **memory, size_t size) {
  return device_call([&] { return give(memory, size, MemoryKind::device); });
}

cudaError_t cudaMallocManaged(void **memory, size_t size, unsigned int flags) {
  return device_call([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
      return cudaErrorInvalidValue;
    return give(memory, size, MemoryKind::managed, flags);
  });
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height) {
  return device_call([&] { return allocate_pitched(memory, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *memory, cudaExtent extent) {
  return device_call([&] {
    size_t rows = 0;
    if (memory == nullptr)
      return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return cudaErrorMemoryAllocation;
    cudaPitchedPtr result = {nullptr, 0, extent.width, extent.height};
    const cudaError_t error = allocate_pitched(&result.ptr, &result.pitch, extent.width, rows);
    if (error == cudaSuccess)
      *memory = result;
    return error;
  });
}

cudaError_t cudaFree(void *memory) {
  return release_call([&] { return take_back(memory, freed_by_cuda_free); });
}

cudaError_t cudaMallocHost(void **memory, size_t size, unsigned int flags) {
  return device_call([&] { return allocate_pinned(memory, size, flags); });
}

cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned int flags) {
  return device_call([&] { return allocate_pinned(memory, size, flags); });
}

cudaError_t cudaFreeHost(void *memory) {
  return release_call([&] { return take_back(memory, is_pinned); });
}

cudaError_t cudaHostRegister(void *memory, size_t size, unsigned int flags) {
  return device_call([&] {
    constexpr unsigned known =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (memory == nullptr || size == 0 || (flags & ~known) != 0)
      return cudaErrorInvalidValue;
    if (const auto found = find_allocation(memory); found && found->alive)
      return is_registered(found->kind) ? cudaErrorHostMemoryAlreadyRegistered
                                        : cudaErrorInvalidValue;
    return enter(
               memory, size, MemoryKind::registered, flags | cudaHostRegisterMapped, current_device)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void *memory) {
  return release_call([&] {
    if (const auto found = find_allocation(memory);
        memory == nullptr || (found && found->alive && !is_registered(found->kind)))
      return cudaErrorInvalidValue;
    wait_for_all_tasks();
    switch (release(memory, is_registered)) {
    case FreeResult::freed:
      return cudaSuccess;
    case FreeResult::not_a_base:
      return cudaErrorInvalidValue;
    default:
      return cudaErrorHostMemoryNotRegistered;
    }
  });
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  return device_call([&] {
    const auto found = find_allocation(host);
    const bool mapped =
        found && found->alive && (is_pinned(found->kind) || is_registered(found->kind));
    return flags == 0 && mapped ? answer(device, host) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  return device_call([&] {
    const auto found = find_allocation(host);
    return found && found->alive && is_pinned(found->kind) ? answer(flags, found->flags)
                                                           : cudaErrorInvalidValue;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
  return query_call([&] {
    if (attributes == nullptr)
      return cudaErrorInvalidValue;
    void *const address = const_cast<void *>(memory);
    const auto found = find_allocation(memory);
    if (!found || !found->alive) {
      *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address, {}};
      return cudaSuccess;
    }
    const cudaMemoryType type = found->kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                : is_pinned(found->kind) || is_registered(found->kind)
                                    ? cudaMemoryTypeHost
                                    : cudaMemoryTypeDevice;
    void *const for_host = type == cudaMemoryTypeDevice ? nullptr : address;
    *attributes = {type, found->device, address, for_host, {}};
    return cudaSuccess;
  });
}

namespace {

cudaError_t give_in_order(void **memory, size_t size, cudaStream_t stream, int device) {
  const cudaError_t error = give(memory, size, MemoryKind::device, from_pool, device);
  if (error != cudaSuccess || size == 0)
    return error;
  // The address is known at once; the memory is there when the stream gets to it.
  return perform(
      stream,
      TaskKind::allocate,
      "cudaMallocAsync",
      [&](Task &task) {
        task.writes = {{static_cast<const char *>(*memory), size}};
      },
      [] {});
}

} // namespace

cudaError_t cudaMallocAsync(void **memory, size_t size, cudaStream_t stream) {
  return device_call([&] {
    const cudaError_t error = forbid_in_capture(stream);
    return error != cudaSuccess ? error
                                : give_in_order(memory, size, stream, queue_of(stream)->device);
  });
}

cudaError_t
cudaMallocFromPoolAsync(void **memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return device_call([&] {
    const int device = owner_of(pool);
    if (device < 0)
      return cudaErrorInvalidValue;
    const cudaError_t error = forbid_in_capture(stream);
    return error != cudaSuccess ? error : give_in_order(memory, size, stream, device);
  });
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
  return release_call([&] {
    if (const cudaError_t error = forbid_in_capture(stream))
      return error;
    if (memory == nullptr)
      return cudaSuccess;
    const auto found = find_allocation(memory);
    if (!found || !found->alive || found->base != memory || !freed_by_cuda_free(found->kind))
      return cudaErrorInvalidValue;
    return perform(
        stream,
        TaskKind::free,
        "cudaFreeAsync",
        [&](Task &task) {
          task.writes = {{found->base, found->size}};
        },
        [memory] { release(memory, freed_by_cuda_free); });
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return query_call([&] { return give_pool(pool, device); });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return query_call([&] { return give_pool(pool, device); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return query_call([&] {
    if (!valid_device(device))
      return cudaErrorInvalidDevice;
    return owner_of(pool) == device ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return device_call([&] { return owner_of(pool) >= 0 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return device_call([&] {
    const int device = owner_of(pool);
    if (device < 0 || value == nullptr)
      return cudaErrorInvalidValue;
    if (is_reuse_policy(attribute))
      pools[device].reuse_policies[attribute - 1] = *static_cast<int *>(value);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
      pools[device].release_threshold = *static_cast<unsigned long long *>(value);
    else
      return cudaErrorInvalidValue; // what was used cannot be set
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  return device_call([&] {
    const int device = owner_of(pool);
    if (device < 0 || value == nullptr)
      return cudaErrorInvalidValue;
    auto *number = static_cast<unsigned long long *>(value);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int *>(value) = pools[device].reuse_policies[attribute - 1];
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      return answer(number, pools[device].release_threshold);
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return answer(number, allocated_bytes(device));
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return answer(number, allocated_bytes_high(device));
    }
    return cudaErrorInvalidValue;
  });
}
