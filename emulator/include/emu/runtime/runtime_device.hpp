// Devices, with the limits of the one that EMU_DEVICE names and named for what they are: one, or as many as
// EMU_DEVICES or the program says (observation/devices.hpp).
#pragma once

#include "emu/runtime/driver_types.hpp"

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);

/// Waits for all work of the current device; returns the error of a kernel that failed.
cudaError_t cudaDeviceSynchronize();
/// Frees all memory, streams and events of the current device and forgets every error, a sticky one included.
cudaError_t cudaDeviceReset();

// Limits and cache preferences are remembered and change nothing.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaCtxResetPersistingL2Cache();

// Access to another device's memory, given to the one that is current.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int from, int to);

inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }

// ---------------------------------------------------------------- functions of the driver's

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,
};
enum { cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream };
/// Finds cuTensorMapEncodeTiled. Of another function it says that there is none, and gives a null pointer.
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol,
                                             void **function,
                                             unsigned int version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *result = nullptr);
inline cudaError_t cudaGetDriverEntryPoint(const char *symbol,
                                           void **function,
                                           unsigned long long flags,
                                           cudaDriverEntryPointQueryResult *result = nullptr) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, result);
}
