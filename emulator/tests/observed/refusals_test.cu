// Calls that fail in a program that is observed: what is told of them, and those that EMU_REFUSE has fail in their turn.
#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <observation/observe.hpp>

#include <cstdlib>
#include <string>

namespace {

/// Two of each kind, so that the first is there when the second one fails.
cudaError_t makes_and_copies(bool gives_back) {
  int *memory = nullptr, *more = nullptr, host[4] = {};
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaMalloc(&memory, sizeof host);
  error = error ? error : cudaMallocManaged(&more, sizeof host); // the line
  error = error ? error : cudaStreamCreate(&stream);
  error = error ? error : cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
  if (error && !gives_back)
    return error;
  if (stream)
    cudaStreamDestroy(stream);
  cudaFree(memory);
  cudaFree(more);
  return error;
}
constexpr int line = __LINE__ - 11;

emu::Observation refused(int call, bool gives_back, cudaError_t expected) {
  emu::start_observing();
  setenv("EMU_REFUSE", std::to_string(call).c_str(), 1);
  CHECK(makes_and_copies(gives_back) == expected);
  unsetenv("EMU_REFUSE");
  CHECK(cudaGetLastError() == expected);
  return emu::stop_observing();
}

} // namespace

TEST_CASE("each call fails in its turn, and those that give back never do") {
  for (int call = 1; call <= 4; ++call)
    CHECK(refused(call, true, cudaErrorMemoryAllocation).hazards.empty());
  const emu::Observation none = refused(5, true, cudaSuccess);
  CHECK(none.hazards.empty());
  CHECK(!none.failed_call);
}

TEST_CASE("what was made before a call that fails, and is not given back, is a leak") {
  CHECK(refused(1, false, cudaErrorMemoryAllocation).hazards.empty());
  const emu::Observation second = refused(2, false, cudaErrorMemoryAllocation);
  const emu::Hazard *leak = second.find("leak");
  REQUIRE(leak);
  CHECK(leak->here.where.line == line - 1);
  REQUIRE(second.failed_call);
  CHECK(second.failed_call->where.line == line);
  CHECK(second.failed_call->error == "cudaErrorMemoryAllocation");
  CHECK(refused(4, false, cudaErrorMemoryAllocation).hazards.size() == 3);
}

// What is said of the call that fails, which stands behind the line that asks for it.
static std::string told(const auto &call, cudaError_t expected = cudaErrorInvalidValue) {
  emu::start_observing();
  CHECK(call() == expected);
  CHECK(cudaGetLastError() == expected);
  const emu::Observation seen = emu::stop_observing();
  REQUIRE(seen.failed_call);
  const size_t behind = seen.failed_call->launch.find(", asked for in line ");
  REQUIRE(behind != std::string::npos);
  return seen.failed_call->launch.substr(0, behind);
}

TEST_CASE("a copy that is refused says which side is where its direction does not have it") {
  int *memory = nullptr, host[4] = {};
  REQUIRE(cudaMalloc(&memory, sizeof host) == cudaSuccess);
  const auto copy = [](void *to, const void *from, cudaMemcpyKind kind) {
    return told([&] { return cudaMemcpy(to, from, sizeof host, kind); });
  };
  CHECK(copy(host, memory, cudaMemcpyHostToDevice) ==
        "cudaMemcpy to the device with its target in the host's memory");
  CHECK(copy(memory, host, cudaMemcpyDeviceToHost) ==
        "cudaMemcpy from the device with its source in the host's memory");
  CHECK(copy(nullptr, host, cudaMemcpyHostToDevice) ==
        "cudaMemcpy with a null pointer as its target");
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("a prefetch, or advice, that goes past the end says how many bytes are there") {
  float *memory = nullptr;
  REQUIRE(cudaMallocManaged(&memory, 4096) == cudaSuccess);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  const auto prefetch = [&](size_t bytes) { return cudaMemPrefetchAsync(memory, bytes, here, 0); };
  const auto advise = [&](size_t bytes) {
    return cudaMemAdvise(memory + 1, bytes, cudaMemAdviseSetReadMostly, here);
  };
  CHECK(told([&] { return prefetch(8192); }) ==
        "cudaMemPrefetchAsync of 8192 bytes where there are 4096");
  CHECK(told([&] { return advise(4096); }) == "cudaMemAdvise of 4096 bytes where there are 4092");
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("an event that is recorded in a stream of another device says of which the two are") {
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  REQUIRE(devices > 1); // links_test.cu asks for them
  cudaEvent_t event;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  const auto record = [&] { return cudaEventRecord(event, nullptr); };
  CHECK(told(record, cudaErrorInvalidResourceHandle) ==
        "cudaEventRecord of an event of device 0 in a stream of device 1 (it can be recorded in "
        "streams of its own device alone)");
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaEventDestroy(event) == cudaSuccess);
}
