// NVML: which devices there are, their names, clocks and memory. What only a GPU can measure is not supported.
#pragma once

#include <cstdio>

#include "cuda_runtime.h"

enum nvmlReturn_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_UNKNOWN = 999
};
enum nvmlClockType_t { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };
enum nvmlTemperatureSensors_t { NVML_TEMPERATURE_GPU };
struct nvmlMemory_t {
  unsigned long long total, free, used;
};
struct nvmlUtilization_t {
  unsigned int gpu, memory;
};
#define NVML_DEVICE_NAME_BUFFER_SIZE 64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE 96
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE 32

/// A device's number, and one more, so that no handle is null.
using nvmlDevice_t = struct nvmlDevice_st *;

namespace emu {
inline nvmlDevice_t device_handle(unsigned device) {
  return reinterpret_cast<nvmlDevice_t>(size_t{device} + 1);
}
inline int device_of(nvmlDevice_t handle) {
  return static_cast<int>(reinterpret_cast<size_t>(handle)) - 1;
}
} // namespace emu

inline nvmlReturn_t nvmlInit() { return NVML_SUCCESS; }
inline nvmlReturn_t nvmlInit_v2() { return NVML_SUCCESS; }
inline nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
inline const char *nvmlErrorString(nvmlReturn_t result) {
  return result == NVML_SUCCESS               ? "Success"
         : result == NVML_ERROR_NOT_SUPPORTED ? "Not Supported"
         : result == NVML_ERROR_NOT_FOUND     ? "Not Found"
         : result == NVML_ERROR_UNINITIALIZED ? "Uninitialized"
         : result == NVML_ERROR_UNKNOWN       ? "Unknown Error"
                                              : "Invalid Argument";
}
inline nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess)
    return NVML_ERROR_UNKNOWN;
  *count = static_cast<unsigned>(devices);
  return NVML_SUCCESS;
}
inline nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device) {
  unsigned count = 0;
  if (nvmlDeviceGetCount(&count) != NVML_SUCCESS || index >= count)
    return NVML_ERROR_INVALID_ARGUMENT;
  *device = emu::device_handle(index);
  return NVML_SUCCESS;
}
inline nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device) {
  unsigned count = 0, domain = 0, bus = 0, slot = 0;
  nvmlDeviceGetCount(&count);
  if (std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3)
    return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned i = 0; i < count; ++i) {
    cudaDeviceProp its;
    if (cudaGetDeviceProperties(&its, static_cast<int>(i)) == cudaSuccess &&
        its.pciDomainID == static_cast<int>(domain) && its.pciBusID == static_cast<int>(bus) &&
        its.pciDeviceID == static_cast<int>(slot)) {
      *device = emu::device_handle(i);
      return NVML_SUCCESS;
    }
  }
  return NVML_ERROR_NOT_FOUND;
}
inline nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
  *index = static_cast<unsigned>(emu::device_of(device));
  return NVML_SUCCESS;
}
inline nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
  cudaDeviceProp its;
  if (cudaGetDeviceProperties(&its, emu::device_of(device)) != cudaSuccess)
    return NVML_ERROR_INVALID_ARGUMENT;
  return std::snprintf(name, length, "%s", its.name) < static_cast<int>(length)
             ? NVML_SUCCESS
             : NVML_ERROR_INSUFFICIENT_SIZE;
}
/// In MHz.
inline nvmlReturn_t
nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock) {
  int khz = 0;
  if (cudaDeviceGetAttribute(&khz,
                             type == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate
                                                    : cudaDevAttrClockRate,
                             emu::device_of(device)) != cudaSuccess)
    return NVML_ERROR_INVALID_ARGUMENT;
  *clock = static_cast<unsigned>(khz / 1000);
  return NVML_SUCCESS;
}
inline nvmlReturn_t
nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock) {
  return nvmlDeviceGetClockInfo(device, type, clock);
}
inline nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  int before = 0;
  size_t free = 0, total = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(emu::device_of(device)) != cudaSuccess)
    return NVML_ERROR_INVALID_ARGUMENT;
  const cudaError_t error = cudaMemGetInfo(&free, &total);
  cudaSetDevice(before);
  *memory = {total, free, total - free};
  return error == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
inline nvmlReturn_t
nvmlDeviceGetTemperature(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned int *) {
  return NVML_ERROR_NOT_SUPPORTED;
}
inline nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned int *) {
  return NVML_ERROR_NOT_SUPPORTED;
}
inline nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t *) {
  return NVML_ERROR_NOT_SUPPORTED;
}
