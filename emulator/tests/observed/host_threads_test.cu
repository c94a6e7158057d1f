// Host threads under the instruments: each is followed, whatever the others do meanwhile.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <observation/observe.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4, rounds = 8, n = 1024; // ints in each buffer

__global__ void increment(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] += 1;
}

void run_on_all(auto work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back(work, i);
  for (std::thread &one : all)
    one.join();
}

} // namespace

TEST_CASE("host threads with streams and memory of their own are counted, and none is suspected") {
  emu::start_observing();
  std::atomic<int> wrong = 0;
  run_on_all([&](int) {
    cudaStream_t stream = nullptr;
    int *managed = nullptr, *device = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocManaged(&managed, n * sizeof(int));
    cudaMalloc(&device, n * sizeof(int));
    std::vector<int> host(n, 5);
    for (int round = 0; round < rounds; ++round) {
      std::fill(managed, managed + n, round);
      increment<<<n / 128, 128, 0, stream>>>(managed);
      cudaMemcpyAsync(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream);
      increment<<<n / 128, 128, 0, stream>>>(device);
      cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
      for (int i = 0; i < n; ++i)
        wrong += managed[i] != round + 1 || host[static_cast<size_t>(i)] != 6 + round;
    }
    cudaFree(managed);
    cudaFree(device);
    cudaStreamDestroy(stream);
  });
  const emu::Observation seen = emu::stop_observing();
  CHECK(wrong == 0);
  CHECK(seen.hazards.empty());
  uint64_t launches = 0;
  for (const emu::KernelReport &kernel : seen.kernels)
    launches += kernel.launches;
  CHECK(launches == threads * rounds * 2);
  uint64_t faults = 0; // pages that a kernel wants and the host has, each time
  for (const emu::PageReport &pages : seen.pages)
    faults += pages.counts.kernel_faults;
  CHECK(faults == threads * rounds);
}

TEST_CASE(
    "a host thread that touches what another one's kernel works on is named, while kernels run") {
  emu::start_observing();
  int *shared = nullptr;
  cudaMallocManaged(&shared, n * sizeof(int));
  std::atomic<bool> submitted = false, touched = false;
  std::thread launcher([&] {
    increment<<<n / 128, 128>>>(shared);
    submitted = true;
    while (!touched)
      std::this_thread::yield();
    cudaDeviceSynchronize();
  });
  std::thread others([&] {
    int *own = nullptr;
    cudaMalloc(&own, n * sizeof(int));
    while (!touched)
      increment<<<n / 128, 128>>>(own);
    cudaFree(own);
  });
  while (!submitted)
    std::this_thread::yield();
  shared[0] = 1; // races
  touched = true;
  launcher.join();
  others.join();
  cudaFree(shared);
  const emu::Observation seen = emu::stop_observing();
  const emu::Hazard *race = seen.find("host_race");
  REQUIRE(race);
  CHECK(race->kernel.empty()); // the host's doing, whatever kernel runs
}
