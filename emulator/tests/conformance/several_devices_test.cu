// Several devices: which one is current, what belongs to which, peers, copies between them. Needs two;
// on a machine with one GPU these tests say so and pass.
#include "conformance.cuh"

#include <cstring>
#include <string>
#include <thread>

namespace {

int device_count() {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  return count;
}

#define NEEDS_TWO_DEVICES() \
  if (device_count() < 2) { \
    MESSAGE("needs two devices"); \
    return; \
  } \
  REQUIRE(cudaSetDevice(0) == cudaSuccess)

/// Makes a device current for a while.
class On {
public:
  explicit On(int device) {
    REQUIRE(cudaGetDevice(&before_) == cudaSuccess);
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
  }
  ~On() { cudaSetDevice(before_); }

private:
  int before_ = 0;
};

/// Ints in the memory of one device.
struct Ints {
  Ints(int device, int count) : bytes(sizeof(int) * static_cast<size_t>(count)) {
    const On on(device);
    REQUIRE(cudaMalloc(&data, bytes) == cudaSuccess);
  }
  Ints(int device, const std::vector<int> &values) : Ints(device, static_cast<int>(values.size())) {
    REQUIRE(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  ~Ints() { cudaFree(data); }
  std::vector<int> to_host() const {
    std::vector<int> values(bytes / sizeof(int));
    REQUIRE(cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }
  int *data = nullptr;
  size_t bytes;
};

__device__ int counter = 5;
__device__ int squares[4] = {0, 1, 4, 9};
__constant__ int factor;

__global__ void count_up(int by) { counter += by; }
__global__ void read_counter(int *result) { *result = counter; }
__global__ void scale(int *data) { data[threadIdx.x] *= factor; }
__global__ void fill(int *data, int value) { data[threadIdx.x] = value; }
__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }

TEST_CASE("each host thread has a current device, at first device 0") {
  NEEDS_TWO_DEVICES();
  CHECK_CALL(cudaSetDevice(1), cudaSuccess);
  int in_thread = -1;
  std::thread([&] {
    cudaGetDevice(&in_thread);
    cudaSetDevice(1);
  }).join();
  CHECK(in_thread == 0);
  int device = -1;
  CHECK_CALL(cudaGetDevice(&device), cudaSuccess);
  CHECK(device == 1);
  CHECK_CALL(cudaSetDevice(device_count()), cudaErrorInvalidDevice);
  CHECK_CALL(cudaSetDevice(-1), cudaErrorInvalidDevice);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 1);
  CHECK_CALL(cudaSetDevice(0), cudaSuccess);
}

TEST_CASE("devices differ in bus and uuid") {
  NEEDS_TWO_DEVICES();
  cudaDeviceProp one, other;
  CHECK_CALL(cudaGetDeviceProperties(&one, 0), cudaSuccess);
  CHECK_CALL(cudaGetDeviceProperties(&other, 1), cudaSuccess);
  CHECK(std::memcmp(&one.uuid, &other.uuid, sizeof one.uuid) != 0);
  char id[2][32];
  for (int i = 0; i < 2; ++i) {
    CHECK_CALL(cudaDeviceGetPCIBusId(id[i], sizeof id[i], i), cudaSuccess);
    int found = -1;
    CHECK_CALL(cudaDeviceGetByPCIBusId(&found, id[i]), cudaSuccess);
    CHECK(found == i);
  }
  CHECK(std::string(id[0]) != id[1]);
}

TEST_CASE("memory belongs to the device that was current") {
  NEEDS_TWO_DEVICES();
  const Ints on_0(0, 1), on_1(1, 1);
  cudaPointerAttributes attributes;
  CHECK_CALL(cudaPointerGetAttributes(&attributes, on_0.data), cudaSuccess);
  CHECK(attributes.device == 0);
  CHECK_CALL(cudaPointerGetAttributes(&attributes, on_1.data), cudaSuccess);
  CHECK(attributes.device == 1);
  // Freed with another device current.
  int *memory = nullptr;
  {
    const On on(1);
    CHECK_CALL(cudaMalloc(&memory, 4), cudaSuccess);
  }
  CHECK_CALL(cudaFree(memory), cudaSuccess);
}

TEST_CASE("kernels and copies go to the device of their stream, whichever is current") {
  NEEDS_TWO_DEVICES();
  const Ints on_1(1, 32);
  cudaStream_t stream;
  {
    const On on(1);
    CHECK_CALL(cudaStreamCreate(&stream), cudaSuccess);
  }
  int device = -1;
  CHECK_CALL(cudaStreamGetDevice(stream, &device), cudaSuccess);
  CHECK(device == 1);
  fill<<<1, 32, 0, stream>>>(on_1.data, 3);
  CHECK_CALL(cudaGetLastError(), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
  CHECK(on_1.to_host() == std::vector<int>(32, 3));
  count_up<<<1, 1, 0, stream>>>(100); // the counter of device 1
  int value = 0;
  {
    const On on(1);
    CHECK_CALL(
        cudaMemcpyFromSymbolAsync(&value, counter, sizeof value, 0, cudaMemcpyDeviceToHost, stream),
        cudaSuccess);
    CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
    CHECK(value == 105);
    value = 5;
    CHECK_CALL(cudaMemcpyToSymbol(counter, &value, sizeof value), cudaSuccess);
  }
  CHECK_CALL(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
  CHECK(value == 5);
  const std::vector<int> values(32, 4);
  CHECK_CALL(cudaMemsetAsync(on_1.data, 0, on_1.bytes, stream), cudaSuccess);
  CHECK_CALL(cudaMemcpyAsync(on_1.data, values.data(), on_1.bytes, cudaMemcpyHostToDevice, stream),
             cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
  CHECK_CALL(cudaStreamQuery(stream), cudaSuccess);
  {
    const On on(1);
    fill<<<1, 16, 0, stream>>>(on_1.data, 3);
    CHECK_CALL(cudaGetLastError(), cudaSuccess);
    CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
  }
  CHECK(on_1.to_host()[15] == 3);
  CHECK(on_1.to_host()[16] == 4);
  CHECK_CALL(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_CASE("an event is recorded on its own device and waited for on any") {
  NEEDS_TWO_DEVICES();
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  for (int i = 0; i < 2; ++i) {
    const On on(i);
    CHECK_CALL(cudaStreamCreate(&stream[i]), cudaSuccess);
    CHECK_CALL(cudaEventCreate(&event[i]), cudaSuccess);
  }
  CHECK_CALL(cudaEventRecord(event[1], stream[0]), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventRecord(event[1], nullptr), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventRecord(event[1], stream[1]), cudaSuccess); // whichever is current
  CHECK_CALL(cudaEventRecord(event[0], stream[0]), cudaSuccess);
  CHECK_CALL(cudaStreamWaitEvent(stream[0], event[1], 0), cudaSuccess);
  CHECK_CALL(cudaEventSynchronize(event[1]), cudaSuccess);
  CHECK_CALL(cudaEventQuery(event[1]), cudaSuccess);
  CHECK_CALL(cudaEventSynchronize(event[0]), cudaSuccess);
  float ms = 0;
  CHECK_CALL(cudaEventElapsedTime(&ms, event[0], event[1]), cudaErrorInvalidResourceHandle);
  for (int i = 0; i < 2; ++i) {
    CHECK_CALL(cudaEventDestroy(event[i]), cudaSuccess);
    CHECK_CALL(cudaStreamDestroy(stream[i]), cudaSuccess);
  }
}

TEST_CASE("events put the work of two devices in order") {
  NEEDS_TWO_DEVICES();
  const Ints source(0, 32), target(1, 32);
  cudaStream_t stream[2];
  cudaEvent_t filled;
  for (int i = 0; i < 2; ++i) {
    const On on(i);
    CHECK_CALL(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking), cudaSuccess);
  }
  CHECK_CALL(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming), cudaSuccess);
  for (int round = 1; round <= 20; ++round) {
    fill<<<1, 32, 0, stream[0]>>>(source.data, round);
    CHECK_CALL(cudaEventRecord(filled, stream[0]), cudaSuccess);
    CHECK_CALL(cudaStreamWaitEvent(stream[1], filled, 0), cudaSuccess);
    CHECK_CALL(cudaMemcpyPeerAsync(target.data, 1, source.data, 0, source.bytes, stream[1]),
               cudaSuccess);
    CHECK_CALL(cudaStreamSynchronize(stream[1]), cudaSuccess);
    CHECK(target.to_host() == std::vector<int>(32, round));
  }
  CHECK_CALL(cudaEventDestroy(filled), cudaSuccess);
  for (cudaStream_t s : stream)
    CHECK_CALL(cudaStreamDestroy(s), cudaSuccess);
}

TEST_CASE("copies between devices work with and without peer access") {
  NEEDS_TWO_DEVICES();
  const std::vector<int> values = {1, 2, 3, 4};
  const Ints from(0, values);
  const Ints to(1, 4), third(1, 4);
  CHECK_CALL(cudaMemcpyPeer(to.data, 1, from.data, 0, from.bytes), cudaSuccess);
  CHECK(to.to_host() == values);
  CHECK_CALL(cudaMemcpy(third.data, from.data, from.bytes, cudaMemcpyDefault), cudaSuccess);
  CHECK(third.to_host() == values);
  CHECK_CALL(cudaMemset(third.data, 0, third.bytes), cudaErrorInvalidValue); // out of its reach
  {
    const On on(1);
    CHECK_CALL(cudaMemset(third.data, 0, third.bytes), cudaSuccess);
  }
  CHECK_CALL(cudaMemcpy(third.data, from.data, from.bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  CHECK(third.to_host() == values);
  CHECK_CALL(cudaMemcpyPeer(to.data, 99, from.data, 0, 16), cudaErrorInvalidDevice);
  CHECK_CALL(cudaMemcpyPeer(to.data, 1, from.data, 0, 0), cudaSuccess);
}

TEST_CASE("a copy in the default stream comes after what both devices had to do") {
  NEEDS_TWO_DEVICES();
  const Ints from(0, 32), to(1, 32);
  for (int round = 1; round <= 20; ++round) {
    fill<<<1, 32>>>(from.data, round);
    {
      const On on(1);
      fill<<<1, 32>>>(to.data, -1);
    }
    CHECK_CALL(cudaMemcpyPeer(to.data, 1, from.data, 0, from.bytes), cudaSuccess);
    const On on(1);
    CHECK_CALL(cudaDeviceSynchronize(), cudaSuccess);
    CHECK(to.to_host() == std::vector<int>(32, round));
  }
}

TEST_CASE("peer access is given in one direction at a time") {
  NEEDS_TWO_DEVICES();
  int can = 0, value = -1;
  CHECK_CALL(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  CHECK_CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
  CHECK(value == can);
  CHECK_CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
             cudaErrorInvalidDevice);
  if (!can) {
    CHECK_CALL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    return;
  }
  CHECK_CALL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  CHECK_CALL(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  CHECK_CALL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  const Ints mine(0, std::vector<int>(32, 1)), theirs(1, std::vector<int>(32, 10));
  add<<<1, 32>>>(mine.data, theirs.data); // loads from device 1
  add<<<1, 32>>>(theirs.data, mine.data); // and stores there
  CHECK_CALL(cudaDeviceSynchronize(), cudaSuccess);
  CHECK(mine.to_host() == std::vector<int>(32, 11));
  CHECK(theirs.to_host() == std::vector<int>(32, 21));
  {
    const On on(1);
    CHECK_CALL(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    CHECK_CALL(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
    CHECK_CALL(cudaDeviceDisablePeerAccess(0), cudaSuccess);
  }
  CHECK_CALL(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  CHECK_CALL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

TEST_CASE("each device has its own variables") {
  NEEDS_TWO_DEVICES();
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    const int value = 10 + device;
    CHECK_CALL(cudaMemcpyToSymbol(factor, &value, sizeof value), cudaSuccess);
  }
  const Ints data[2] = {Ints(0, std::vector<int>(4, 1)), Ints(1, std::vector<int>(4, 1))};
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    scale<<<1, 4>>>(data[device].data);
    count_up<<<1, 1>>>(1 + device);
    count_up<<<1, 1>>>(1 + device);
    CHECK_CALL(cudaDeviceSynchronize(), cudaSuccess);
  }
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    CHECK(data[device].to_host() == std::vector<int>(4, 10 + device));
    int value = 0;
    CHECK_CALL(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
    CHECK(value == 5 + 2 * (1 + device));
    const Ints result(device, 1);
    read_counter<<<1, 1>>>(result.data);
    CHECK(result.to_host()[0] == value);
    CHECK_CALL(cudaMemcpyFromSymbol(&value, squares, sizeof value, 3 * sizeof value), cudaSuccess);
    CHECK(value == 9); // as the program began
  }
}

TEST_CASE("memory pools and their memory belong to devices") {
  NEEDS_TWO_DEVICES();
  cudaMemPool_t pool[2];
  for (int i = 0; i < 2; ++i)
    CHECK_CALL(cudaDeviceGetDefaultMemPool(&pool[i], i), cudaSuccess);
  CHECK(pool[0] != pool[1]);
  const On on(1);
  cudaStream_t stream;
  CHECK_CALL(cudaStreamCreate(&stream), cudaSuccess);
  int *memory = nullptr;
  CHECK_CALL(cudaMallocAsync(&memory, 64, stream), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
  cudaPointerAttributes attributes;
  CHECK_CALL(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
  CHECK(attributes.device == 1);
  CHECK_CALL(cudaFreeAsync(memory, stream), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(stream), cudaSuccess);
  CHECK_CALL(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_CASE("a pool says itself who reaches its memory") {
  NEEDS_TWO_DEVICES();
  int can = 0;
  CHECK_CALL(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  if (!can)
    return;
  cudaMemPool_t pool;
  CHECK_CALL(cudaDeviceGetDefaultMemPool(&pool, 1), cudaSuccess);
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 0;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtReadWrite;
  CHECK_CALL(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
  CHECK(flags == cudaMemAccessFlagsProtNone);
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK_CALL(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
  CHECK_CALL(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
  CHECK(flags == cudaMemAccessFlagsProtReadWrite);
  const Ints mine(0, std::vector<int>{1});
  int *memory = nullptr;
  {
    const On on(1);
    CHECK_CALL(cudaMallocAsync(&memory, sizeof(int), nullptr), cudaSuccess);
    fill<<<1, 1>>>(memory, 7);
    CHECK_CALL(cudaDeviceSynchronize(), cudaSuccess);
  }
  add<<<1, 1>>>(mine.data, memory); // on device 0, no peer access
  CHECK(mine.to_host()[0] == 8);
  CHECK_CALL(cudaFree(memory), cudaSuccess);
  access.flags = cudaMemAccessFlagsProtNone;
  CHECK_CALL(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
}

TEST_CASE("the memory of one device is not that of the other") {
  NEEDS_TWO_DEVICES();
  size_t before[2], after[2], total;
  const auto ask = [&](size_t *free) {
    for (int i = 0; i < 2; ++i) {
      const On on(i);
      CHECK_CALL(cudaMemGetInfo(&free[i], &total), cudaSuccess);
    }
  };
  ask(before);
  const Ints large(1, 32 << 20);
  ask(after);
  CHECK(before[1] - after[1] >= size_t{128} << 20);
  CHECK(before[0] - after[0] < size_t{64} << 20);
}

TEST_CASE("resetting one device leaves the other one alone") {
  NEEDS_TWO_DEVICES();
  const Ints kept(0, std::vector<int>{7});
  cudaStream_t stream;
  CHECK_CALL(cudaStreamCreate(&stream), cudaSuccess);
  {
    const On on(1);
    int *lost = nullptr;
    CHECK_CALL(cudaMalloc(&lost, 4), cudaSuccess);
    CHECK_CALL(cudaDeviceReset(), cudaSuccess);
    cudaPointerAttributes attributes;
    CHECK_CALL(cudaPointerGetAttributes(&attributes, lost), cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
  }
  CHECK(kept.to_host()[0] == 7);
  CHECK_CALL(cudaStreamDestroy(stream), cudaSuccess);
}

} // namespace
