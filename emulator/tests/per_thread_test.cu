// Stream 0 as each thread's own.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <emu/schedule.hpp>

#include <set>
#include <thread>

namespace {

__global__ void set(int *place, int value) { *place = value; }

// What a second thread copies after a first one has launched a kernel, each in its stream 0.
int outcome(uint64_t seed, bool waits) {
  emu::set_schedule(seed);
  int *device, *host;
  REQUIRE(cudaMalloc(&device, sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMallocHost(&host, sizeof(int)) == cudaSuccess);
  set<<<1, 1>>>(device, 0);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  std::thread([&] {
    set<<<1, 1>>>(device, 7);
    if (waits)
      cudaStreamSynchronize(nullptr);
  }).join();
  cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaStreamSynchronize(nullptr);
  const int seen = *host;
  cudaFree(device);
  cudaFreeHost(host);
  emu::set_schedule(0);
  return seen;
}

} // namespace

TEST_CASE("stream 0 belongs to the thread: nothing orders those of two threads") {
  unsigned long long id = 0;
  REQUIRE(cudaStreamGetId(nullptr, &id) == cudaSuccess);
  CHECK(id == 2);
  std::set<int> unordered, ordered;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    unordered.insert(outcome(seed, false));
    ordered.insert(outcome(seed, true));
  }
  CHECK(unordered == std::set<int>{0, 7});
  CHECK(ordered == std::set<int>{7});
}
