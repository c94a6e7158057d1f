// What an emulated device says of itself.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "context/api.hpp"
#include "emu/runtime/runtime_device.hpp"
#include "engine/limits.hpp"
#include "memory/allocations.hpp"

namespace {

using namespace emu;

/// Members that are not set here are 0: mipmaps, clusters and what else the emulator does not have.
cudaDeviceProp make_properties() {
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name,
                sizeof p.name,
                "Build First CPU emulator (%u host threads)",
                std::thread::hardware_concurrency());
  std::memcpy(p.uuid.bytes, "build-first-emu", sizeof p.uuid.bytes);
  p.totalGlobalMem = device_memory();
  p.sharedMemPerBlock = shared_per_block;
  p.regsPerBlock = registers_per_block;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = max_threads_per_block;
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = static_cast<int>(max_block_extent[i]);
    p.maxGridSize[i] = static_cast<int>(max_grid_extent[i]);
  }
  p.totalConstMem = constant_memory;
  p.major = compute_major;
  p.minor = compute_minor;
  p.maxTexture1D = p.maxTexture2D[0] = p.maxSurface2D[0] = 131072;
  p.maxTexture2D[1] = p.maxSurface2D[1] = 65536;
  p.maxSurface1D = p.maxTextureCubemap = p.maxSurfaceCubemap = 32768;
  for (int i = 0; i < 3; ++i)
    p.maxTexture3D[i] = p.maxSurface3D[i] = 16384;
  p.textureAlignment = pitch_alignment;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = pitch_alignment;
  p.integrated = 1; // it shares the host's memory
  p.canMapHostMemory = 1;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = l2_cache;
  p.persistingL2CacheMaxSize = l2_cache / 4 * 3;
  p.maxThreadsPerMultiProcessor = max_threads_per_sm;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = shared_per_sm;
  p.regsPerMultiprocessor = registers_per_sm;
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = 1;
  p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = 1;
  p.directManagedMemAccessFromHost = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.maxBlocksPerMultiProcessor = max_blocks_per_sm;
  p.reservedSharedMemPerBlock = shared_reserved_per_block;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.deviceNumaId = -1;
  p.hostNumaId = -1;
  return p;
}

/// All devices are alike but for what tells them apart.
cudaDeviceProp properties(int device) {
  static const cudaDeviceProp made = make_properties();
  cudaDeviceProp p = made;
  p.uuid.bytes[sizeof p.uuid.bytes - 1] = static_cast<char>(device);
  p.pciBusID = pci_bus(device);
  p.multiProcessorCount = sm_count();
  p.sharedMemPerBlockOptin = block_shared_limit();
  return p;
}

/// The attributes: mostly a second name for a member of cudaDeviceProp.
cudaError_t attribute(int &value, cudaDeviceAttr which, int device) {
  const cudaDeviceProp p = properties(device);
  const auto is = [&value](auto number) {
    value = static_cast<int>(number);
    return cudaSuccess;
  };
  switch (which) {
  case cudaDevAttrMaxThreadsPerBlock:
    return is(p.maxThreadsPerBlock);
  case cudaDevAttrMaxBlockDimX:
    return is(p.maxThreadsDim[0]);
  case cudaDevAttrMaxBlockDimY:
    return is(p.maxThreadsDim[1]);
  case cudaDevAttrMaxBlockDimZ:
    return is(p.maxThreadsDim[2]);
  case cudaDevAttrMaxGridDimX:
    return is(p.maxGridSize[0]);
  case cudaDevAttrMaxGridDimY:
    return is(p.maxGridSize[1]);
  case cudaDevAttrMaxGridDimZ:
    return is(p.maxGridSize[2]);
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return is(p.sharedMemPerBlock);
  case cudaDevAttrTotalConstantMemory:
    return is(p.totalConstMem);
  case cudaDevAttrWarpSize:
    return is(p.warpSize);
  case cudaDevAttrMaxPitch:
    return is(p.memPitch);
  case cudaDevAttrMaxRegistersPerBlock:
    return is(p.regsPerBlock);
  case cudaDevAttrClockRate:
    return is(1000000); // kHz: clock64() counts nanoseconds
  case cudaDevAttrMemoryClockRate:
    return is(1215000);
  case cudaDevAttrMaxTexture1DWidth:
    return is(p.maxTexture1D);
  case cudaDevAttrMaxTexture2DWidth:
    return is(p.maxTexture2D[0]);
  case cudaDevAttrMaxTexture2DHeight:
    return is(p.maxTexture2D[1]);
  case cudaDevAttrMaxTexture3DWidth:
    return is(p.maxTexture3D[0]);
  case cudaDevAttrMaxTexture3DHeight:
    return is(p.maxTexture3D[1]);
  case cudaDevAttrMaxTexture3DDepth:
    return is(p.maxTexture3D[2]);
  case cudaDevAttrTextureAlignment:
    return is(p.textureAlignment);
  case cudaDevAttrTexturePitchAlignment:
    return is(p.texturePitchAlignment);
  case cudaDevAttrSurfaceAlignment:
    return is(p.surfaceAlignment);
  case cudaDevAttrMultiProcessorCount:
    return is(p.multiProcessorCount);
  case cudaDevAttrIntegrated:
    return is(p.integrated);
  case cudaDevAttrCanMapHostMemory:
    return is(p.canMapHostMemory);
  case cudaDevAttrUnifiedAddressing:
    return is(p.unifiedAddressing);
  case cudaDevAttrGlobalMemoryBusWidth:
    return is(p.memoryBusWidth);
  case cudaDevAttrL2CacheSize:
    return is(p.l2CacheSize);
  case cudaDevAttrMaxPersistingL2CacheSize:
    return is(p.persistingL2CacheMaxSize);
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return is(p.maxThreadsPerMultiProcessor);
  case cudaDevAttrComputeCapabilityMajor:
    return is(p.major);
  case cudaDevAttrComputeCapabilityMinor:
    return is(p.minor);
  case cudaDevAttrStreamPrioritiesSupported:
    return is(p.streamPrioritiesSupported);
  case cudaDevAttrGlobalL1CacheSupported:
    return is(p.globalL1CacheSupported);
  case cudaDevAttrLocalL1CacheSupported:
    return is(p.localL1CacheSupported);
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return is(p.sharedMemPerMultiprocessor);
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return is(p.regsPerMultiprocessor);
  case cudaDevAttrManagedMemory:
    return is(p.managedMemory);
  case cudaDevAttrHostNativeAtomicSupported:
    return is(p.hostNativeAtomicSupported);
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return is(2);
  case cudaDevAttrConcurrentManagedAccess:
    return is(p.concurrentManagedAccess);
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
    return is(p.canUseHostPointerForRegisteredMem);
  case cudaDevAttrCooperativeLaunch:
    return is(p.cooperativeLaunch);
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return is(p.sharedMemPerBlockOptin);
  case cudaDevAttrHostRegisterSupported:
    return is(p.hostRegisterSupported);
  case cudaDevAttrDirectManagedMemAccessFromHost:
    return is(p.directManagedMemAccessFromHost);
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return is(p.maxBlocksPerMultiProcessor);
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return is(p.reservedSharedMemPerBlock);
  case cudaDevAttrMemoryPoolsSupported:
    return is(p.memoryPoolsSupported);
  case cudaDevAttrPciBusId:
    return is(p.pciBusID);
  case cudaDevAttrNumaId:
  case cudaDevAttrHostNumaId:
    return is(-1);
  default: // the others are there and 0: layers, clusters, interprocess, PCI …
    if (which < cudaDevAttrMaxThreadsPerBlock ||
        which > cudaDevAttrOnlyPartialHostNativeAtomicSupported)
      return cudaErrorInvalidValue;
    return is(0);
  }
}

} // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *result, int device) {
  return query_call([&] {
    if (result == nullptr)
      return cudaErrorInvalidValue;
    if (!valid_device(device))
      return cudaErrorInvalidDevice;
    *result = properties(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device) {
  return query_call([&] {
    if (value == nullptr)
      return cudaErrorInvalidValue;
    if (!valid_device(device))
      return cudaErrorInvalidDevice;
    return attribute(*value, which, device);
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return device_call([&] {
    if (free != nullptr)
      *free = device_memory() - allocated_bytes(current_device);
    if (total != nullptr)
      *total = device_memory();
    return cudaSuccess;
  });
}
