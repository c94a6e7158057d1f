// What an emulated device says of itself.
#include <algorithm>
#include <cmath>
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

/// What all devices have alike. Members that are not set here are 0: mipmaps and what else the emulator does not have.
cudaDeviceProp make_properties() {
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name,
                sizeof p.name,
                "Build First CPU emulator (%u host threads)",
                std::thread::hardware_concurrency());
  std::memcpy(p.uuid.bytes, "build-first-emu", sizeof p.uuid.bytes);
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
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.hostNativeAtomicSupported = 1;
  p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = 1;
  p.directManagedMemAccessFromHost = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.deviceNumaId = -1;
  p.hostNumaId = -1;
  return p;
}

/// All devices are the one that is played, but for what tells them apart.
cudaDeviceProp properties(int device) {
  static const cudaDeviceProp made = make_properties();
  cudaDeviceProp p = made;
  const DeviceLimits &limits = device_limits();
  p.totalGlobalMem = device_memory();
  p.major = limits.major;
  p.minor = limits.minor;
  p.memoryBusWidth = limits.memory_bus_bits;
  p.l2CacheSize = limits.l2_cache;
  p.persistingL2CacheMaxSize = static_cast<int>(persisting_l2(limits));
  p.maxThreadsPerMultiProcessor = limits.threads_per_sm;
  p.maxBlocksPerMultiProcessor = limits.blocks_per_sm;
  p.regsPerMultiprocessor = limits.registers_per_sm;
  p.sharedMemPerMultiprocessor = limits.shared_per_sm;
  p.reservedSharedMemPerBlock = limits.shared_reserved;
  p.clusterLaunch = limits.blocks_per_cluster > 0;
  p.uuid.bytes[sizeof p.uuid.bytes - 1] = static_cast<char>(device);
  p.pciBusID = pci_bus(device);
  p.multiProcessorCount = sm_count(device);
  p.sharedMemPerBlockOptin = block_shared_limit();
  return p;
}

/// Two transfers a cycle.
double memory_khz(const DeviceLimits &limits) {
  return std::round(limits.memory_peak_gbps * 1e6 * 8 / 2 / limits.memory_bus_bits);
}

/// The attributes: mostly a second name for a member of cudaDeviceProp.
cudaError_t attribute(int &value, cudaDeviceAttr which, int device) {
  const cudaDeviceProp p = properties(device);
  const auto is = [&value](auto number) {
    value = static_cast<int>(number);
    return cudaSuccess;
  };
  switch (which) {
#define EMU_IS(ATTRIBUTE, VALUE) \
  case cudaDevAttr##ATTRIBUTE: \
    return is(VALUE);
    EMU_IS(MaxThreadsPerBlock, p.maxThreadsPerBlock)
    EMU_IS(MaxBlockDimX, p.maxThreadsDim[0])
    EMU_IS(MaxBlockDimY, p.maxThreadsDim[1])
    EMU_IS(MaxBlockDimZ, p.maxThreadsDim[2])
    EMU_IS(MaxGridDimX, p.maxGridSize[0])
    EMU_IS(MaxGridDimY, p.maxGridSize[1])
    EMU_IS(MaxGridDimZ, p.maxGridSize[2])
    EMU_IS(MaxSharedMemoryPerBlock, p.sharedMemPerBlock)
    EMU_IS(TotalConstantMemory, p.totalConstMem)
    EMU_IS(WarpSize, p.warpSize)
    EMU_IS(MaxPitch, p.memPitch)
    EMU_IS(MaxRegistersPerBlock, p.regsPerBlock)
    EMU_IS(ClockRate, 1000000) // kHz: clock64() counts nanoseconds
    EMU_IS(MemoryClockRate, memory_khz(device_limits()))
    EMU_IS(MaxTexture1DWidth, p.maxTexture1D)
    EMU_IS(MaxTexture2DWidth, p.maxTexture2D[0])
    EMU_IS(MaxTexture2DHeight, p.maxTexture2D[1])
    EMU_IS(MaxTexture3DWidth, p.maxTexture3D[0])
    EMU_IS(MaxTexture3DHeight, p.maxTexture3D[1])
    EMU_IS(MaxTexture3DDepth, p.maxTexture3D[2])
    EMU_IS(TextureAlignment, p.textureAlignment)
    EMU_IS(TexturePitchAlignment, p.texturePitchAlignment)
    EMU_IS(SurfaceAlignment, p.surfaceAlignment)
    EMU_IS(MultiProcessorCount, p.multiProcessorCount)
    EMU_IS(Integrated, p.integrated)
    EMU_IS(CanMapHostMemory, p.canMapHostMemory)
    EMU_IS(UnifiedAddressing, p.unifiedAddressing)
    EMU_IS(GlobalMemoryBusWidth, p.memoryBusWidth)
    EMU_IS(L2CacheSize, p.l2CacheSize)
    EMU_IS(MaxPersistingL2CacheSize, p.persistingL2CacheMaxSize)
    EMU_IS(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor)
    EMU_IS(ComputeCapabilityMajor, p.major)
    EMU_IS(ComputeCapabilityMinor, p.minor)
    EMU_IS(StreamPrioritiesSupported, p.streamPrioritiesSupported)
    EMU_IS(GlobalL1CacheSupported, p.globalL1CacheSupported)
    EMU_IS(LocalL1CacheSupported, p.localL1CacheSupported)
    EMU_IS(MaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor)
    EMU_IS(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)
    EMU_IS(ManagedMemory, p.managedMemory)
    EMU_IS(HostNativeAtomicSupported, p.hostNativeAtomicSupported)
    EMU_IS(SingleToDoublePrecisionPerfRatio,
           device_limits().fp32_per_cycle / device_limits().fp64_per_cycle)
    EMU_IS(ConcurrentManagedAccess, p.concurrentManagedAccess)
    EMU_IS(CanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem)
    EMU_IS(CooperativeLaunch, p.cooperativeLaunch)
    EMU_IS(ClusterLaunch, p.clusterLaunch)
    EMU_IS(MaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin)
    EMU_IS(HostRegisterSupported, p.hostRegisterSupported)
    EMU_IS(DirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost)
    EMU_IS(MaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor)
    EMU_IS(ReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock)
    EMU_IS(MemoryPoolsSupported, p.memoryPoolsSupported)
    EMU_IS(PciBusId, p.pciBusID)
#undef EMU_IS
  case cudaDevAttrNumaId:
  case cudaDevAttrHostNumaId:
    return is(-1);
  default: // the others are there and 0: layers, interprocess, PCI …
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
