// Devices: choosing one, versions, and settings that are remembered but change nothing.
#include "engine/limits.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "context/api.hpp"
#include "emu/runtime/runtime_device.hpp"
#include "graphs/graphs.hpp"
#include "memory/allocations.hpp"
#include "memory/arrays.hpp"
#include "memory/device_variables.hpp"
#include "streams/capture.hpp"
#include "streams/streams.hpp"
#include "textures/texture_objects.hpp"

namespace {

using namespace emu;

constexpr int cuda_version = 13000;
struct Limit {
  std::atomic<size_t> value;
  size_t most;
};

constexpr size_t unlimited = ~size_t{0};
constexpr int limit_count = 7;

struct Settings {
  std::atomic<unsigned> flags{cudaDeviceScheduleAuto};
  std::atomic<cudaFuncCache> cache_config{cudaFuncCachePreferNone};
  Limit limits[limit_count] = {
      {1024, 512 * 1024}, // cudaLimitStackSize, bytes per thread
      {1024 * 1024, unlimited}, // cudaLimitPrintfFifoSize
      {8 * 1024 * 1024, unlimited}, // cudaLimitMallocHeapSize
      {0, 0}, // cudaLimitDevRuntimeSyncDepth: no longer supported by CUDA
      {2048, unlimited}, // cudaLimitDevRuntimePendingLaunchCount
      {64, 128}, // cudaLimitMaxL2FetchGranularity
      {0, unlimited} // cudaLimitPersistingL2CacheSize: as much as the device lets persist
  };
};
Settings settings_of[most_devices];

Settings &settings() { return settings_of[current_device]; }

cudaError_t check_limit(cudaLimit limit) {
  if (limit < 0 || limit >= limit_count)
    return cudaErrorInvalidValue;
  return limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit : cudaSuccess;
}

} // namespace

cudaError_t cudaGetDeviceCount(int *count) {
  return query_call([&] { return answer(count, devices_to_see()); });
}

cudaError_t cudaSetDevice(int device) {
  return query_call([&] {
    if (!valid_device(device) || device >= devices_to_see())
      return cudaErrorInvalidDevice;
    current_device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *device) {
  return query_call([&] { return answer(device, current_device); });
}

cudaError_t cudaInitDevice(int device, unsigned int flags, unsigned int valid) {
  return query_call([&] {
    if (!valid_device(device))
      return cudaErrorInvalidDevice;
    if ((valid & cudaInitDeviceFlagsAreValid) == 0)
      return cudaSuccess;
    const int chosen = std::exchange(current_device, device);
    const cudaError_t error = cudaSetDeviceFlags(flags);
    current_device = chosen;
    return error;
  });
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  return query_call([&] {
    if (count < 0 || (count > 0 && devices == nullptr))
      return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i)
      if (!valid_device(devices[i]))
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted) {
  return query_call([&] { return wanted == nullptr ? cudaErrorInvalidValue : answer(device, 0); });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return query_call([&] {
    constexpr unsigned known = cudaDeviceScheduleMask | cudaDeviceMapHost |
                               cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    if ((flags & ~known) != 0 || (schedule & (schedule - 1)) != 0)
      return cudaErrorInvalidValue;
    settings().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  return query_call([&] { return answer(flags, settings().flags | cudaDeviceMapHost); });
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device) {
  return query_call([&] {
    if (!valid_device(device))
      return cudaErrorInvalidDevice;
    char text[16];
    const int length = std::snprintf(text, sizeof text, "0000:%02x:00.0", pci_bus(device));
    if (id == nullptr || size <= length)
      return cudaErrorInvalidValue;
    std::strcpy(id, text);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
  return query_call([&] {
    if (device == nullptr || id == nullptr)
      return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4) {
      domain = function = 0;
      if (std::sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2)
        return cudaErrorInvalidValue;
    }
    for (int i = 0; i < device_count(); ++i)
      if (domain == 0 && bus == static_cast<unsigned>(pci_bus(i)) && slot == 0 && function == 0)
        return answer(device, i);
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  return query_call([&] { return answer(version, cuda_version); });
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  return query_call([&] { return answer(version, cuda_version); });
}

cudaError_t cudaDeviceSynchronize() {
  return device_call([] {
    const cudaError_t error = forbid_while_anything_captured();
    return error != cudaSuccess ? error : wait_for_device(current_device);
  });
}

cudaError_t cudaDeviceReset() {
  wait_for_all_tasks();
  destroy_streams(current_device);
  destroy_events(current_device);
  if (!several_devices()) { // these do not know whose they are
    destroy_graphs();
    destroy_objects();
    destroy_arrays();
  }
  free_all_allocations(current_device);
  reset_variables(current_device);
  forget_peers(current_device);
  reset_errors();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return device_call([&] {
    if (const cudaError_t error = check_limit(limit))
      return error;
    if (value > settings().limits[limit].most ||
        (limit == cudaLimitPersistingL2CacheSize && value > persisting_l2(device_limits())))
      return cudaErrorInvalidValue;
    settings().limits[limit].value = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return device_call([&] {
    if (const cudaError_t error = check_limit(limit))
      return error;
    return answer(value, settings().limits[limit].value.load());
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return device_call([&] {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
      return cudaErrorInvalidValue;
    settings().cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return device_call([&] { return answer(config, settings().cache_config.load()); });
}

// Banks have been four bytes wide since Maxwell, whatever one asks for.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return device_call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return device_call([&] { return answer(config, cudaSharedMemBankSizeFourByte); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return device_call([&] {
    if (least != nullptr)
      *least = least_stream_priority;
    if (greatest != nullptr)
      *greatest = greatest_stream_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return device_call([] { return cudaSuccess; });
}
