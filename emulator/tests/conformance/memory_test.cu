// Allocation: what is given, what is refused, and what pointers are taken for.
#include "conformance.cuh"

#include <algorithm>
#include <cstdint>

namespace {

TEST_CASE("cudaMalloc: no bytes give null, no place or too much is an error") {
  int *p = reinterpret_cast<int *>(8);
  CHECK_OK(cudaMalloc(&p, 0));
  CHECK(p == nullptr);
  CHECK_CALL(cudaMalloc(static_cast<int **>(nullptr), 4), cudaErrorInvalidValue);
  CHECK_CALL(cudaMalloc(&p, size_t{1} << 50), cudaErrorMemoryAllocation);
  CHECK_OK(cudaMalloc(&p, 400));
  CHECK(reinterpret_cast<uintptr_t>(p) % 256 == 0);
  CHECK_OK(cudaFree(p));
}

TEST_CASE("cudaFree takes what cudaMalloc gave, once") {
  int *p = nullptr, on_host = 0;
  CHECK_OK(cudaFree(nullptr));
  REQUIRE(cudaMalloc(&p, 400) == cudaSuccess);
  CHECK_CALL(cudaFree(p + 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaFree(&on_host), cudaErrorInvalidValue);
  CHECK_OK(cudaFree(p));
  CHECK_CALL(cudaFree(p), cudaErrorInvalidValue);
}

TEST_CASE("allocations do not overlap and free memory is reported") {
  size_t free_before = 0, free_after = 0, total = 0;
  CHECK_OK(cudaMemGetInfo(&free_before, &total));
  CHECK(total > 0);
  CHECK(free_before <= total);
  char *p = nullptr, *q = nullptr;
  constexpr size_t size = 32 << 20;
  REQUIRE(cudaMalloc(&p, size) == cudaSuccess);
  REQUIRE(cudaMalloc(&q, size) == cudaSuccess);
  CHECK((p + size <= q || q + size <= p));
  CHECK_OK(cudaMemGetInfo(&free_after, nullptr));
  CHECK(free_after <= total);
#ifdef BUILD_FIRST_EMULATOR // a GPU has other programs, too
  CHECK(free_after + 2 * size <= free_before);
#endif
  cudaFree(p);
  cudaFree(q);
#ifdef BUILD_FIRST_EMULATOR
  CHECK_OK(cudaMemGetInfo(&free_after, nullptr));
  CHECK(free_after >= free_before);
#endif
}

#ifdef BUILD_FIRST_EMULATOR
TEST_CASE("fresh memory is never zeros") {
  for (const size_t size : {size_t{1}, size_t{4096}, size_t{3} << 20}) {
    const conformance::DeviceArray<unsigned char> fresh(size);
    const std::vector<unsigned char> bytes = fresh.to_host();
    CHECK(std::all_of(bytes.begin(), bytes.end(), [](unsigned char b) { return b == 0xA5; }));
  }
}

TEST_CASE("freed memory is refused") {
  int *p = nullptr, word = 0;
  REQUIRE(cudaMalloc(&p, 4) == cudaSuccess);
  REQUIRE(cudaFree(p) == cudaSuccess);
  CHECK_CALL(cudaMemcpy(&word, p, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
}
#endif

TEST_CASE("pinned memory") {
  int *p = nullptr, *device = nullptr, on_host = 0;
  unsigned flags = 0;
  CHECK_OK(cudaMallocHost(&p, 0));
  CHECK(p == nullptr);
  CHECK_OK(cudaFreeHost(nullptr));
  CHECK_CALL(cudaHostAlloc(&p, 4, 999), cudaErrorInvalidValue);
  CHECK_OK(cudaHostAlloc(&p, 400, cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK_OK(cudaHostGetFlags(&flags, p));
  CHECK(flags == (cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK_CALL(cudaHostGetFlags(&flags, &on_host), cudaErrorInvalidValue);
  CHECK_OK(cudaHostGetDevicePointer(&device, p, 0));
  CHECK(device == p); // addresses are unified
  CHECK_CALL(cudaHostGetDevicePointer(&device, p, 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaHostGetDevicePointer(&device, &on_host, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaFree(p), cudaErrorInvalidValue);
  CHECK_CALL(cudaFreeHost(&on_host), cudaErrorInvalidValue);
  CHECK_OK(cudaFreeHost(p));
  CHECK_CALL(cudaFreeHost(p), cudaErrorInvalidValue);
}

TEST_CASE("registered memory") {
  static char memory[65536];
  char *device = nullptr;
  CHECK_CALL(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
  CHECK_CALL(cudaHostRegister(memory, 0, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaHostRegister(nullptr, 16, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaHostRegister(memory, 16, 999), cudaErrorInvalidValue);
  CHECK_OK(cudaHostRegister(memory, sizeof memory, 0));
  CHECK_CALL(cudaHostRegister(memory, sizeof memory, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_CALL(cudaHostRegister(memory + 4096, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_OK(cudaHostGetDevicePointer(&device, memory, 0));
  CHECK_CALL(cudaHostUnregister(memory + 5), cudaErrorInvalidValue);
  CHECK_OK(cudaHostUnregister(memory));
  CHECK_CALL(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
  int *p = nullptr;
  REQUIRE(cudaMalloc(&p, 16) == cudaSuccess);
  CHECK_CALL(cudaHostRegister(p, 16, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaHostUnregister(p), cudaErrorInvalidValue);
  cudaFree(p);
}

void check_attributes(
    const void *p, cudaMemoryType type, int device, const void *device_p, const void *host_p) {
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, p));
  CHECK(attributes.type == type);
  CHECK(attributes.device == device);
  CHECK(attributes.devicePointer == device_p);
  CHECK(attributes.hostPointer == host_p);
}

TEST_CASE("pointers are told apart") {
  int on_host = 0, *device = nullptr, *managed = nullptr, *pinned = nullptr;
  REQUIRE(cudaMalloc(&device, 8) == cudaSuccess);
  REQUIRE(cudaMallocManaged(&managed, 8) == cudaSuccess);
  REQUIRE(cudaMallocHost(&pinned, 8) == cudaSuccess);
  check_attributes(&on_host, cudaMemoryTypeUnregistered, -2, nullptr, &on_host);
  check_attributes(nullptr, cudaMemoryTypeUnregistered, -2, nullptr, nullptr);
  check_attributes(device, cudaMemoryTypeDevice, 0, device, nullptr);
  check_attributes(device + 1, cudaMemoryTypeDevice, 0, device + 1, nullptr);
  check_attributes(managed, cudaMemoryTypeManaged, 0, managed, managed);
  check_attributes(pinned, cudaMemoryTypeHost, 0, pinned, pinned);
  cudaFree(device);
  check_attributes(device, cudaMemoryTypeUnregistered, -2, nullptr, device);
  cudaFree(managed);
  cudaFreeHost(pinned);
}

TEST_CASE("stream-ordered allocation") {
  int *p = nullptr, *q = nullptr;
  CHECK_OK(cudaMallocAsync(&p, 400, nullptr));
  CHECK_OK(cudaMemsetAsync(p, 0, 400, nullptr));
  CHECK_OK(cudaFreeAsync(p, nullptr));
  CHECK_OK(cudaMallocAsync(&p, 0, nullptr));
  CHECK(p == nullptr);
  CHECK_OK(cudaFreeAsync(nullptr, nullptr));
  CHECK_CALL(cudaMallocAsync(&p, size_t{1} << 50, nullptr), cudaErrorMemoryAllocation);
  // The two ways to allocate and to free may be mixed.
  REQUIRE(cudaMallocAsync(&p, 400, nullptr) == cudaSuccess);
  REQUIRE(cudaMalloc(&q, 400) == cudaSuccess);
  CHECK_OK(cudaFree(p));
  CHECK_OK(cudaFreeAsync(q, nullptr));
  cudaMemPool_t pool;
  unsigned long long threshold = 1;
  CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(threshold == 0);
}

#if CUDART_VERSION >= 13000
TEST_CASE("hints about managed memory") {
  constexpr size_t size = 1 << 20;
  char *managed = nullptr, *device = nullptr, on_host = 0;
  CHECK_CALL(cudaMallocManaged(&managed, 4, 77), cudaErrorInvalidValue);
  REQUIRE(cudaMallocManaged(&managed, size) == cudaSuccess);
  REQUIRE(cudaMalloc(&device, 4) == cudaSuccess);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
  const cudaMemLocation no_such_gpu = {cudaMemLocationTypeDevice, 99};
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
  const auto attribute = [&](cudaMemRangeAttribute which) {
    int value = -99;
    CHECK_OK(cudaMemRangeGetAttribute(&value, sizeof value, which, managed, size));
    return value;
  };
  CHECK_OK(cudaMemPrefetchAsync(managed, size, gpu, 0, nullptr));
  CHECK(attribute(cudaMemRangeAttributeLastPrefetchLocation) == 0);
  CHECK_OK(cudaMemPrefetchAsync(managed, size, host, 0, nullptr));
  CHECK(attribute(cudaMemRangeAttributeLastPrefetchLocation) == cudaCpuDeviceId);
  CHECK_CALL(cudaMemPrefetchAsync(managed, size, no_such_gpu, 0), cudaErrorInvalidDevice);
  CHECK_CALL(cudaMemPrefetchAsync(managed, 0, gpu, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemPrefetchAsync(managed, size * 8, gpu, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemPrefetchAsync(&on_host, 1, gpu, 0), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemPrefetchAsync(device, 4, gpu, 0), cudaErrorInvalidValue);
  CHECK(attribute(cudaMemRangeAttributeReadMostly) == 0);
  CHECK_OK(cudaMemAdvise(managed, size, cudaMemAdviseSetReadMostly, gpu));
  CHECK(attribute(cudaMemRangeAttributeReadMostly) == 1);
  CHECK(attribute(cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId);
  CHECK_OK(cudaMemAdvise(managed, size, cudaMemAdviseSetPreferredLocation, host));
  CHECK(attribute(cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId);
  CHECK_CALL(cudaMemAdvise(device, 4, cudaMemAdviseSetReadMostly, gpu), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemAdvise(managed, size, static_cast<cudaMemoryAdvise>(88), gpu),
             cudaErrorInvalidValue);
  cudaFree(managed);
  cudaFree(device);
}

TEST_CASE("a batch of prefetches, each to its place") {
  constexpr size_t size = size_t{1} << 20;
  char *managed = nullptr;
  cudaStream_t stream;
  REQUIRE(cudaMallocManaged(&managed, size) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  void *memory[] = {managed, managed + size / 2};
  size_t sizes[] = {size / 2, size / 2}, first[] = {0, 1}, wrong[] = {1, 0};
  cudaMemLocation where[] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
  const auto prefetch = [&](size_t count, size_t *first_of, cudaStream_t in) {
    return cudaMemPrefetchBatchAsync(memory, sizes, count, where, first_of, 2, 0, in);
  };
  CHECK_OK(prefetch(2, first, stream));
  CHECK_OK(cudaMemPrefetchBatchAsync(memory, sizes, 2, where, first, 1, 0, stream));
  CHECK_OK(prefetch(2, first, cudaStreamPerThread));
  CHECK_CALL(prefetch(2, first, nullptr), cudaErrorInvalidValue);
  CHECK_CALL(prefetch(2, wrong, stream), cudaErrorInvalidValue);
  CHECK_CALL(prefetch(0, first, stream), cudaErrorInvalidValue);
  CHECK_OK(cudaDeviceSynchronize());
  cudaStreamDestroy(stream);
  cudaFree(managed);
}

TEST_CASE("what is discarded is not needed, and can be written again") {
  constexpr size_t size = size_t{4} << 20;
  unsigned char *managed = nullptr;
  cudaStream_t stream;
  REQUIRE(cudaMallocManaged(&managed, size) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  void *memory[] = {managed, managed + size / 2};
  size_t sizes[] = {size / 2, size / 2}, first[] = {0, 1}, wrong[] = {1, 0};
  cudaMemLocation where[] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
  CHECK_OK(cudaMemDiscardBatchAsync(memory, sizes, 2, 0, stream));
  CHECK_OK(cudaMemDiscardAndPrefetchBatchAsync(memory, sizes, 2, where, first, 2, 0, stream));
  CHECK_OK(cudaMemsetAsync(managed, 5, size, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK(managed[0] == 5);
  CHECK(managed[size - 1] == 5);
  CHECK_CALL(cudaMemDiscardBatchAsync(memory, sizes, 0, 0, stream), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemDiscardAndPrefetchBatchAsync(memory, sizes, 2, where, wrong, 2, 0, stream),
             cudaErrorInvalidValue);
  cudaStreamDestroy(stream);
  cudaFree(managed);
}
#endif

} // namespace
