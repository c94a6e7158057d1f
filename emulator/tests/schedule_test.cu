// Programs that forgot to wait go wrong when a seed draws the order of streams' work; those that
// wait are right whatever it draws.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <emu/schedule.hpp>

#include <set>
#include <thread>

namespace {

constexpr int n = 4096;
constexpr size_t bytes = n * sizeof(int);
constexpr int seeds = 20;

__global__ void fill(int *values, int value) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = value; // [0, n)
}

__global__ void add_one(int *values) { ++values[blockIdx.x * blockDim.x + threadIdx.x]; }

/// Two streams without the default stream's rules, an event, pinned and device memory.
struct Fixture {
  cudaStream_t a, b;
  cudaEvent_t event;
  int *device, *host;

  Fixture() {
    REQUIRE(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    REQUIRE(cudaMalloc(&device, bytes) == cudaSuccess);
    REQUIRE(cudaMallocHost(&host, bytes) == cudaSuccess);
    fill<<<n / 256, 256>>>(device, 0);
    host[0] = -1;
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  ~Fixture() {
    cudaDeviceSynchronize();
    cudaFree(device);
    cudaFreeHost(host);
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }
};

/// What comes out under each seed.
template <class Work> std::set<int> outcomes(Work work) {
  std::set<int> all;
  for (int seed = 1; seed <= seeds; ++seed) {
    emu::set_schedule(static_cast<uint64_t>(seed));
    Fixture f;
    all.insert(work(f));
  }
  emu::set_schedule(0);
  return all;
}

int read_back(Fixture &f) {
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  return f.host[n - 1];
}

} // namespace

TEST_CASE("a kernel and a copy in two streams: either may come first, unless an event says which") {
  for (const bool with_event : {false, true}) {
    const std::set<int> seen = outcomes([&](Fixture &f) {
      fill<<<n / 256, 256, 0, f.a>>>(f.device, 7);
      if (with_event) {
        cudaEventRecord(f.event, f.a);
        cudaStreamWaitEvent(f.b, f.event, 0);
      }
      cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, f.b);
      return read_back(f);
    });
    CHECK(seen == (with_event ? std::set<int>{7} : std::set<int>{0, 7}));
  }
}

TEST_CASE("a pinned buffer that is used again too early") {
  for (const bool waits : {false, true}) {
    const std::set<int> seen = outcomes([&](Fixture &f) {
      for (int i = 0; i < n; ++i)
        f.host[i] = 1;
      cudaMemcpyAsync(f.device, f.host, bytes, cudaMemcpyHostToDevice, f.a);
      if (waits)
        cudaStreamSynchronize(f.a);
      f.host[n - 1] = 2;
      cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, f.a);
      return read_back(f);
    });
    CHECK(seen == (waits ? std::set<int>{1} : std::set<int>{1, 2}));
  }
}

TEST_CASE("the host reads before it has waited") {
  const std::set<int> seen = outcomes([&](Fixture &f) {
    cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, f.a);
    return f.host[0];
  });
  CHECK(seen == std::set<int>{-1, 0});
}

TEST_CASE("the default stream waits for blocking streams, and they for it") {
  const std::set<int> seen = outcomes([&](Fixture &f) {
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    fill<<<n / 256, 256, 0, blocking>>>(f.device, 1);
    add_one<<<n / 256, 256>>>(f.device);
    add_one<<<n / 256, 256, 0, blocking>>>(f.device);
    cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread);
    cudaStreamDestroy(blocking);
    cudaStreamSynchronize(nullptr); // the host waits for all blocking streams
    return f.host[0];
  });
  // The thread's default stream waits for the default stream, not for the other one.
  CHECK(seen == std::set<int>{2, 3});
}

TEST_CASE("graphs: nodes without an edge between them run in any order") {
  for (const bool edge : {false, true}) {
    const std::set<int> seen = outcomes([&](Fixture &f) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      cudaGraphNode_t nodes[2];
      cudaGraphCreate(&graph, 0);
      for (int i = 0; i < 2; ++i) {
        int value = i + 1;
        void *arguments[] = {&f.device, &value};
        cudaKernelNodeParams parameters = {};
        parameters.func = (void *)fill;
        parameters.gridDim = dim3(n / 256);
        parameters.blockDim = dim3(256);
        parameters.kernelParams = arguments;
        cudaGraphAddKernelNode(&nodes[i], graph, nodes, edge ? i : 0, &parameters);
      }
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphLaunch(exec, f.a);
      cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, f.a);
      cudaGraphExecDestroy(exec);
      cudaGraphDestroy(graph);
      return read_back(f);
    });
    CHECK(seen == (edge ? std::set<int>{2} : std::set<int>{1, 2}));
  }
}

TEST_CASE("queries tell what is not done, and polling comes to an end") {
  emu::set_schedule(3);
  Fixture f;
  fill<<<n / 256, 256, 0, f.a>>>(f.device, 5);
  cudaMemcpyAsync(f.host, f.device, bytes, cudaMemcpyDeviceToHost, f.a);
  cudaEventRecord(f.event, f.a);
  int not_ready = 0;
  cudaError_t answer;
  while ((answer = cudaEventQuery(f.event)) == cudaErrorNotReady)
    ++not_ready;
  CHECK(answer == cudaSuccess);
  CHECK(not_ready > 0);
  CHECK(f.host[0] == 5);
  CHECK(cudaGetLastError() == cudaSuccess);
  emu::set_schedule(0);
}

TEST_CASE("a host function may not wait for the device that runs it") {
  emu::set_schedule(1);
  Fixture f;
  cudaError_t answer = cudaSuccess;
  cudaLaunchHostFunc(
      f.a,
      [](void *place) { *static_cast<cudaError_t *>(place) = cudaDeviceSynchronize(); },
      &answer);
  CHECK(cudaStreamSynchronize(f.a) == cudaSuccess);
  CHECK(answer == cudaErrorNotPermitted);
  cudaGetLastError();
  emu::set_schedule(0);
}

TEST_CASE("a wait in a stream whose capture another host thread ends") {
  Fixture f;
  REQUIRE(cudaEventRecord(f.event, f.b) == cudaSuccess);
  constexpr int rounds = 100000; // as fewer may miss the moment
  std::thread waits([&] {
    for (int round = 0; round < rounds; ++round)
      cudaStreamWaitEvent(f.a, f.event, 0);
  });
  for (int round = 0; round < rounds; ++round) {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(f.a, cudaStreamCaptureModeRelaxed);
    if (cudaStreamEndCapture(f.a, &graph) == cudaSuccess)
      cudaGraphDestroy(graph);
  }
  waits.join();
  cudaGetLastError();
  CHECK(cudaStreamWaitEvent(f.a, f.event, 0) == cudaSuccess);
  CHECK(cudaStreamSynchronize(f.a) == cudaSuccess);
}
