// The device: counting, choosing, properties, attributes, limits, peers.
#include "conformance.cuh"

#include <string>

namespace {

TEST_CASE("devices are counted and chosen") {
  int count = 0, device = -1;
  CHECK_OK(cudaGetDeviceCount(&count));
  CHECK(count >= 1);
  CHECK_OK(cudaSetDevice(0));
  CHECK_OK(cudaGetDevice(&device));
  CHECK(device == 0);
  CHECK_CALL(cudaSetDevice(99), cudaErrorInvalidDevice);
  CHECK_CALL(cudaSetDevice(-1), cudaErrorInvalidDevice);
  CHECK_CALL(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  CHECK_CALL(cudaGetDevice(nullptr), cudaErrorInvalidValue);
  int driver = 0, runtime = 0;
  CHECK_OK(cudaDriverGetVersion(&driver));
  CHECK_OK(cudaRuntimeGetVersion(&runtime));
  CHECK(runtime == CUDART_VERSION);
  CHECK(driver / 1000 >= runtime / 1000);
}

TEST_CASE("properties and attributes tell the same") {
  cudaDeviceProp p;
  CHECK_CALL(cudaGetDeviceProperties(&p, 99), cudaErrorInvalidDevice);
  CHECK_CALL(cudaGetDeviceProperties(&p, -1), cudaErrorInvalidDevice);
  CHECK_OK(cudaGetDeviceProperties(&p, 0));
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    CHECK_OK(cudaDeviceGetAttribute(&value, which, 0));
    return static_cast<size_t>(value);
  };
  CHECK(!std::string(p.name).empty());
  CHECK(p.warpSize == 32);
  CHECK(attribute(cudaDevAttrWarpSize) == 32);
  CHECK(p.maxThreadsPerBlock == 1024);
  CHECK(attribute(cudaDevAttrMaxThreadsPerBlock) == 1024);
  CHECK(p.maxThreadsDim[2] == 64);
  CHECK(attribute(cudaDevAttrMaxBlockDimZ) == 64);
  CHECK(p.maxGridSize[0] == 2147483647);
  CHECK(attribute(cudaDevAttrMaxGridDimY) == 65535);
  CHECK(p.sharedMemPerBlock == 48 * 1024);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == p.sharedMemPerBlock);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == p.sharedMemPerBlockOptin);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) == p.sharedMemPerMultiprocessor);
  CHECK(p.sharedMemPerBlockOptin + p.reservedSharedMemPerBlock <= p.sharedMemPerMultiprocessor);
  CHECK(p.totalConstMem == 64 * 1024);
  CHECK(p.regsPerBlock == 65536);
  CHECK(static_cast<int>(attribute(cudaDevAttrMultiProcessorCount)) == p.multiProcessorCount);
  CHECK(static_cast<int>(attribute(cudaDevAttrComputeCapabilityMajor)) == p.major);
  CHECK(static_cast<int>(attribute(cudaDevAttrComputeCapabilityMinor)) == p.minor);
  CHECK(static_cast<int>(attribute(cudaDevAttrMaxThreadsPerMultiProcessor)) ==
        p.maxThreadsPerMultiProcessor);
  CHECK(static_cast<int>(attribute(cudaDevAttrL2CacheSize)) == p.l2CacheSize);
  CHECK(attribute(cudaDevAttrClockRate) > 0);
  CHECK(attribute(cudaDevAttrComputeMode) <= 3);
  int value = 0;
  CHECK_CALL(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99), cudaErrorInvalidDevice);
  CHECK_CALL(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
             cudaErrorInvalidValue);
}

TEST_CASE("a device is no peer of itself") {
  int can = 1;
  CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  CHECK(can == 0);
  CHECK_CALL(cudaDeviceCanAccessPeer(&can, 0, 99), cudaErrorInvalidDevice);
  CHECK_CALL(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  CHECK_CALL(cudaDeviceEnablePeerAccess(99, 0), cudaErrorInvalidDevice);
  CHECK_CALL(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
}

TEST_CASE("a device has a bus address") {
  char id[32] = "";
  int device = -1;
  CHECK_CALL(cudaDeviceGetPCIBusId(id, 3, 0), cudaErrorInvalidValue);
  CHECK_OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  CHECK_OK(cudaDeviceGetByPCIBusId(&device, id));
  CHECK(device == 0);
  CHECK_CALL(cudaDeviceGetByPCIBusId(&device, "0000:ff:1f.0"), cudaErrorInvalidDevice);
  CHECK_CALL(cudaDeviceGetByPCIBusId(&device, "zzz"), cudaErrorInvalidValue);
}

TEST_CASE("limits and preferences are kept") {
  size_t value = 0;
  CHECK_OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
  CHECK_OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  CHECK(value >= 2 << 20);
  CHECK_CALL(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
  CHECK_CALL(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 40), cudaErrorInvalidValue);
  cudaFuncCache cache;
  CHECK_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  CHECK_OK(cudaDeviceGetCacheConfig(&cache));
  CHECK(cache == cudaFuncCachePreferL1);
  CHECK_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  CHECK_CALL(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9)), cudaErrorInvalidValue);
  CHECK_CALL(cudaSetDeviceFlags(0x999), cudaErrorInvalidValue);
}

} // namespace
