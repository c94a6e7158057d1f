// Several devices: which one is current, what belongs to which, peers, copies between them. Needs two;
// on a machine with one GPU these tests say so and pass.
#include "conformance.cuh"

#include <cstdlib>
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
  CHECK_OK(cudaSetDevice(1));
  int in_thread = -1;
  std::thread([&] {
    cudaGetDevice(&in_thread);
    cudaSetDevice(1);
  }).join();
  CHECK(in_thread == 0);
  int device = -1;
  CHECK_OK(cudaGetDevice(&device));
  CHECK(device == 1);
  CHECK_CALL(cudaSetDevice(device_count()), cudaErrorInvalidDevice);
  CHECK_CALL(cudaSetDevice(-1), cudaErrorInvalidDevice);
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 1);
  CHECK_OK(cudaSetDevice(0));
}

TEST_CASE("devices differ in bus and uuid") {
  NEEDS_TWO_DEVICES();
  cudaDeviceProp one, other;
  CHECK_OK(cudaGetDeviceProperties(&one, 0));
  CHECK_OK(cudaGetDeviceProperties(&other, 1));
  CHECK(std::memcmp(&one.uuid, &other.uuid, sizeof one.uuid) != 0);
  char id[2][32];
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(cudaDeviceGetPCIBusId(id[i], sizeof id[i], i));
    int found = -1;
    CHECK_OK(cudaDeviceGetByPCIBusId(&found, id[i]));
    CHECK(found == i);
  }
  CHECK(std::string(id[0]) != id[1]);
}

TEST_CASE("memory belongs to the device that was current") {
  NEEDS_TWO_DEVICES();
  const Ints on_0(0, 1), on_1(1, 1);
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, on_0.data));
  CHECK(attributes.device == 0);
  CHECK_OK(cudaPointerGetAttributes(&attributes, on_1.data));
  CHECK(attributes.device == 1);
  // Freed with another device current.
  int *memory = nullptr;
  {
    const On on(1);
    CHECK_OK(cudaMalloc(&memory, 4));
  }
  CHECK_OK(cudaFree(memory));
}

TEST_CASE("kernels and copies go to the device of their stream, whichever is current") {
  NEEDS_TWO_DEVICES();
  const Ints on_1(1, 32);
  cudaStream_t stream;
  {
    const On on(1);
    CHECK_OK(cudaStreamCreate(&stream));
  }
  int device = -1;
  CHECK_OK(cudaStreamGetDevice(stream, &device));
  CHECK(device == 1);
  fill<<<1, 32, 0, stream>>>(on_1.data, 3);
  CHECK_OK(cudaGetLastError());
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK(on_1.to_host() == std::vector<int>(32, 3));
  count_up<<<1, 1, 0, stream>>>(100); // the counter of device 1
  int value = 0;
  {
    const On on(1);
    CHECK_OK(cudaMemcpyFromSymbolAsync(
        &value, counter, sizeof value, 0, cudaMemcpyDeviceToHost, stream));
    CHECK_OK(cudaStreamSynchronize(stream));
    CHECK(value == 105);
    value = 5;
    CHECK_OK(cudaMemcpyToSymbol(counter, &value, sizeof value));
  }
  CHECK_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 5);
  const std::vector<int> values(32, 4);
  CHECK_OK(cudaMemsetAsync(on_1.data, 0, on_1.bytes, stream));
  CHECK_OK(cudaMemcpyAsync(on_1.data, values.data(), on_1.bytes, cudaMemcpyHostToDevice, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK_OK(cudaStreamQuery(stream));
  {
    const On on(1);
    fill<<<1, 16, 0, stream>>>(on_1.data, 3);
    CHECK_OK(cudaGetLastError());
    CHECK_OK(cudaStreamSynchronize(stream));
  }
  CHECK(on_1.to_host()[15] == 3);
  CHECK(on_1.to_host()[16] == 4);
  CHECK_OK(cudaStreamDestroy(stream));
}

TEST_CASE("an event is recorded on its own device and waited for on any") {
  NEEDS_TWO_DEVICES();
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  for (int i = 0; i < 2; ++i) {
    const On on(i);
    CHECK_OK(cudaStreamCreate(&stream[i]));
    CHECK_OK(cudaEventCreate(&event[i]));
  }
  CHECK_CALL(cudaEventRecord(event[1], stream[0]), cudaErrorInvalidResourceHandle);
  CHECK_CALL(cudaEventRecord(event[1], nullptr), cudaErrorInvalidResourceHandle);
  CHECK_OK(cudaEventRecord(event[1], stream[1])); // whichever is current
  CHECK_OK(cudaEventRecord(event[0], stream[0]));
  CHECK_OK(cudaStreamWaitEvent(stream[0], event[1], 0));
  CHECK_OK(cudaEventSynchronize(event[1]));
  CHECK_OK(cudaEventQuery(event[1]));
  CHECK_OK(cudaEventSynchronize(event[0]));
  float ms = 0;
  CHECK_CALL(cudaEventElapsedTime(&ms, event[0], event[1]), cudaErrorInvalidResourceHandle);
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(cudaEventDestroy(event[i]));
    CHECK_OK(cudaStreamDestroy(stream[i]));
  }
}

TEST_CASE("events put the work of two devices in order") {
  NEEDS_TWO_DEVICES();
  const Ints source(0, 32), target(1, 32);
  cudaStream_t stream[2];
  cudaEvent_t filled;
  for (int i = 0; i < 2; ++i) {
    const On on(i);
    CHECK_OK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
  }
  CHECK_OK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  for (int round = 1; round <= 20; ++round) {
    fill<<<1, 32, 0, stream[0]>>>(source.data, round);
    CHECK_OK(cudaEventRecord(filled, stream[0]));
    CHECK_OK(cudaStreamWaitEvent(stream[1], filled, 0));
    CHECK_OK(cudaMemcpyPeerAsync(target.data, 1, source.data, 0, source.bytes, stream[1]));
    CHECK_OK(cudaStreamSynchronize(stream[1]));
    CHECK(target.to_host() == std::vector<int>(32, round));
  }
  CHECK_OK(cudaEventDestroy(filled));
  for (cudaStream_t s : stream)
    CHECK_OK(cudaStreamDestroy(s));
}

TEST_CASE("copies between devices work with and without peer access") {
  NEEDS_TWO_DEVICES();
  const std::vector<int> values = {1, 2, 3, 4};
  const Ints from(0, values);
  const Ints to(1, 4), third(1, 4);
  CHECK_OK(cudaMemcpyPeer(to.data, 1, from.data, 0, from.bytes));
  CHECK(to.to_host() == values);
  CHECK_OK(cudaMemcpy(third.data, from.data, from.bytes, cudaMemcpyDefault));
  CHECK(third.to_host() == values);
  CHECK_CALL(cudaMemset(third.data, 0, third.bytes), cudaErrorInvalidValue); // out of its reach
  {
    const On on(1);
    CHECK_OK(cudaMemset(third.data, 0, third.bytes));
  }
  CHECK_OK(cudaMemcpy(third.data, from.data, from.bytes, cudaMemcpyDeviceToDevice));
  CHECK(third.to_host() == values);
  CHECK_CALL(cudaMemcpyPeer(to.data, 99, from.data, 0, 16), cudaErrorInvalidDevice);
  CHECK_OK(cudaMemcpyPeer(to.data, 1, from.data, 0, 0));
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
    CHECK_OK(cudaMemcpyPeer(to.data, 1, from.data, 0, from.bytes));
    const On on(1);
    CHECK_OK(cudaDeviceSynchronize());
    CHECK(to.to_host() == std::vector<int>(32, round));
  }
}

TEST_CASE("peer access is given in one direction at a time") {
  NEEDS_TWO_DEVICES();
  int can = 0, value = -1;
  CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK_OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
  CHECK(value == can);
  CHECK_CALL(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
             cudaErrorInvalidDevice);
  if (!can) {
    CHECK_CALL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
    return;
  }
  CHECK_CALL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  CHECK_CALL(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  CHECK_OK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK_CALL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  const Ints mine(0, std::vector<int>(32, 1)), theirs(1, std::vector<int>(32, 10));
  add<<<1, 32>>>(mine.data, theirs.data); // loads from device 1
  add<<<1, 32>>>(theirs.data, mine.data); // and stores there
  CHECK_OK(cudaDeviceSynchronize());
  CHECK(mine.to_host() == std::vector<int>(32, 11));
  CHECK(theirs.to_host() == std::vector<int>(32, 21));
  {
    const On on(1);
    CHECK_CALL(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    CHECK_OK(cudaDeviceCanAccessPeer(&can, 1, 0));
    CHECK_CALL(cudaDeviceEnablePeerAccess(0, 0),
               can ? cudaSuccess : cudaErrorPeerAccessUnsupported);
    CHECK_CALL(cudaDeviceDisablePeerAccess(0), can ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
  }
  CHECK_OK(cudaDeviceDisablePeerAccess(1));
  CHECK_CALL(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

#ifdef BUILD_FIRST_EMULATOR
TEST_CASE("EMU_PEERS says which devices can reach which") {
  NEEDS_TWO_DEVICES();
  struct Peers { // and what it said before
    Peers() : before(std::getenv("EMU_PEERS") ? std::getenv("EMU_PEERS") : "1") {}
    ~Peers() { setenv("EMU_PEERS", before.c_str(), 1); }
    std::string before;
  } const peers;
  int devices = 0;
  CHECK_OK(cudaGetDeviceCount(&devices));
  const char *const peers_of[] = {"0", "1", "2", "1:0,11:1,2:11"};
  for (int which = 0; which <= 3; ++which) {
    setenv("EMU_PEERS", peers_of[which], 1);
    for (int device = 0; device < devices; ++device) {
      for (int other = 0; other < devices; ++other) {
        CAPTURE(which);
        CAPTURE(device);
        CAPTURE(other);
        const bool reaches[] = {false, true, device < other, device == 1 && other == 0};
        int can = -1;
        CHECK_OK(cudaDeviceCanAccessPeer(&can, device, other));
        CHECK(can == (device != other && reaches[which] ? 1 : 0));
      }
    }
  }
}
#endif

TEST_CASE("each device has its own variables") {
  NEEDS_TWO_DEVICES();
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    const int value = 10 + device;
    CHECK_OK(cudaMemcpyToSymbol(factor, &value, sizeof value));
  }
  const Ints data[2] = {Ints(0, std::vector<int>(4, 1)), Ints(1, std::vector<int>(4, 1))};
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    scale<<<1, 4>>>(data[device].data);
    count_up<<<1, 1>>>(1 + device);
    count_up<<<1, 1>>>(1 + device);
    CHECK_OK(cudaDeviceSynchronize());
  }
  for (int device = 0; device < 2; ++device) {
    const On on(device);
    CHECK(data[device].to_host() == std::vector<int>(4, 10 + device));
    int value = 0;
    CHECK_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    CHECK(value == 5 + 2 * (1 + device));
    const Ints result(device, 1);
    read_counter<<<1, 1>>>(result.data);
    CHECK(result.to_host()[0] == value);
    CHECK_OK(cudaMemcpyFromSymbol(&value, squares, sizeof value, 3 * sizeof value));
    CHECK(value == 9); // as the program began
  }
}

TEST_CASE("memory pools and their memory belong to devices") {
  NEEDS_TWO_DEVICES();
  cudaMemPool_t pool[2];
  for (int i = 0; i < 2; ++i)
    CHECK_OK(cudaDeviceGetDefaultMemPool(&pool[i], i));
  CHECK(pool[0] != pool[1]);
  const On on(1);
  cudaStream_t stream;
  CHECK_OK(cudaStreamCreate(&stream));
  int *memory = nullptr;
  CHECK_OK(cudaMallocAsync(&memory, 64, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, memory));
  CHECK(attributes.device == 1);
  CHECK_OK(cudaFreeAsync(memory, stream));
  CHECK_OK(cudaStreamSynchronize(stream));
  CHECK_OK(cudaStreamDestroy(stream));
}

TEST_CASE("a pool says itself who reaches its memory") {
  NEEDS_TWO_DEVICES();
  int can = 0;
  CHECK_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (!can)
    return;
  cudaMemPool_t pool;
  CHECK_OK(cudaDeviceGetDefaultMemPool(&pool, 1));
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 0;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtReadWrite;
  CHECK_OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
  CHECK(flags == cudaMemAccessFlagsProtNone);
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CHECK_OK(cudaMemPoolSetAccess(pool, &access, 1));
  CHECK_OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
  CHECK(flags == cudaMemAccessFlagsProtReadWrite);
  const Ints mine(0, std::vector<int>{1});
  int *memory = nullptr;
  {
    const On on(1);
    CHECK_OK(cudaMallocAsync(&memory, sizeof(int), nullptr));
    fill<<<1, 1>>>(memory, 7);
    CHECK_OK(cudaDeviceSynchronize());
  }
  add<<<1, 1>>>(mine.data, memory); // on device 0, no peer access
  CHECK(mine.to_host()[0] == 8);
  CHECK_OK(cudaFree(memory));
  access.flags = cudaMemAccessFlagsProtNone;
  CHECK_OK(cudaMemPoolSetAccess(pool, &access, 1));
}

TEST_CASE("the memory of one device is not that of the other") {
  NEEDS_TWO_DEVICES();
  size_t before[2], after[2], total;
  const auto ask = [&](size_t *free) {
    for (int i = 0; i < 2; ++i) {
      const On on(i);
      CHECK_OK(cudaMemGetInfo(&free[i], &total));
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
  CHECK_OK(cudaStreamCreate(&stream));
  {
    const On on(1);
    int *lost = nullptr;
    CHECK_OK(cudaMalloc(&lost, 4));
    CHECK_OK(cudaDeviceReset());
    cudaPointerAttributes attributes;
    CHECK_OK(cudaPointerGetAttributes(&attributes, lost));
    CHECK(attributes.type == cudaMemoryTypeUnregistered);
  }
  CHECK(kept.to_host()[0] == 7);
  CHECK_OK(cudaStreamDestroy(stream));
}

} // namespace
