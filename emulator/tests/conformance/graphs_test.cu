// Graphs: captured from streams, put together by hand, launched, changed.
#include "conformance.cuh"

#include <algorithm>

namespace {

constexpr int n = 1000;

__global__ void add(int *values, int number) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n)
  if (i < n)
    values[i] += number;
}

__global__ void sum_of(int *sum, const int *a, const int *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n)
  if (i < n)
    sum[i] = a[i] + b[i];
}

void CUDART_CB count_call(void *counter) { ++*static_cast<int *>(counter); }

/// Streams, an event and pinned memory for one test.
struct Fixture {
  cudaStream_t s, other;
  cudaEvent_t fork, join;
  int *host;
  conformance::DeviceArray<int> a{n}, b{n}, sum{n};

  Fixture() {
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
    REQUIRE(cudaEventCreate(&join) == cudaSuccess);
    REQUIRE(cudaMallocHost(&host, n * sizeof(int)) == cudaSuccess);
    for (auto *array : {&a, &b, &sum})
      REQUIRE(cudaMemset(array->data(), 0, array->bytes()) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  ~Fixture() {
    cudaFreeHost(host);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(s);
    cudaStreamDestroy(other);
  }
};

bool all_are(const std::vector<int> &values, int wanted) {
  return std::all_of(values.begin(), values.end(), [&](int value) { return value == wanted; });
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  return status;
}

size_t node_count(cudaGraph_t graph) {
  size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess);
  return count;
}

TEST_CASE("a captured stream does nothing; its graph does it, as often as it is launched") {
  Fixture f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal), cudaSuccess);
  CHECK(status_of(f.s) == cudaStreamCaptureStatusActive);
  CHECK(status_of(f.other) == cudaStreamCaptureStatusNone);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 2);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 5);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK_CALL(cudaMemcpyAsync(f.host, f.a.data(), n * sizeof(int), cudaMemcpyDeviceToHost, f.s),
             cudaSuccess);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaSuccess);
  CHECK(status_of(f.s) == cudaStreamCaptureStatusNone);
  CHECK(node_count(graph) == 3);
  CHECK(all_are(f.a.to_host(), 0));
  CHECK_CALL(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  CHECK_CALL(cudaGraphDestroy(graph), cudaSuccess); // what was made of it stays
  for (int launches = 1; launches <= 3; ++launches) {
    CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
    CHECK_CALL(cudaStreamSynchronize(f.s), cudaSuccess);
    CHECK(all_are({f.host, f.host + n}, 7 * launches));
  }
  CHECK_CALL(cudaGraphExecDestroy(exec), cudaSuccess);
}

TEST_CASE("an event brings another stream into the capture") {
  Fixture f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  CHECK_CALL(cudaEventRecord(f.fork, f.s), cudaSuccess);
  CHECK_CALL(cudaStreamWaitEvent(f.other, f.fork, 0), cudaSuccess);
  CHECK(status_of(f.other) == cudaStreamCaptureStatusActive);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 1);
  add<<<4, 256, 0, f.other>>>(f.b.data(), 10);
  CHECK_CALL(cudaEventRecord(f.join, f.other), cudaSuccess);
  CHECK_CALL(cudaStreamWaitEvent(f.s, f.join, 0), cudaSuccess);
  sum_of<<<4, 256, 0, f.s>>>(f.sum.data(), f.a.data(), f.b.data());
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaSuccess);
  size_t edges = 0, roots = 0;
  CHECK_CALL(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  CHECK_CALL(cudaGraphGetRootNodes(graph, nullptr, &roots), cudaSuccess);
  CHECK(node_count(graph) == 3);
  CHECK(edges == 2);
  CHECK(roots == 2);
  CHECK_CALL(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
  CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaSuccess);
  CHECK(all_are(f.sum.to_host(), 22));
  CHECK_CALL(cudaGraphExecDestroy(exec), cudaSuccess);
  CHECK_CALL(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_CASE("what may not be captured ends the capture without a graph") {
  Fixture f;
  cudaGraph_t graph = nullptr;
  CHECK_CALL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
             cudaErrorStreamCaptureUnsupported);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorIllegalState);

  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaSuccess);
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaErrorStreamCaptureUnsupported);
  CHECK(status_of(f.s) == cudaStreamCaptureStatusInvalidated);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);

  // Nobody waits for the other stream's work.
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaSuccess);
  CHECK_CALL(cudaEventRecord(f.fork, f.s), cudaSuccess);
  CHECK_CALL(cudaStreamWaitEvent(f.other, f.fork, 0), cudaSuccess);
  add<<<4, 256, 0, f.other>>>(f.b.data(), 10);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureUnjoined);
  CHECK(status_of(f.other) == cudaStreamCaptureStatusNone);

  // An event that was captured has not happened.
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaSuccess);
  CHECK_CALL(cudaEventRecord(f.fork, f.s), cudaSuccess);
  CHECK_CALL(cudaEventQuery(f.fork), cudaErrorCapturedEvent);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_CALL(cudaEventSynchronize(f.fork), cudaErrorInvalidValue);

  // Streams that the default stream would have to wait for.
  cudaStream_t blocking;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  CHECK_CALL(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  add<<<4, 256>>>(f.b.data(), 10);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  CHECK_CALL(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal), cudaSuccess);
  int *memory = nullptr;
  CHECK_CALL(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_CALL(cudaStreamDestroy(blocking), cudaSuccess);

  // An event from outside.
  CHECK_CALL(cudaEventRecord(f.fork, f.other), cudaSuccess);
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaSuccess);
  CHECK_CALL(cudaStreamWaitEvent(f.s, f.fork, 0), cudaErrorStreamCaptureIsolation);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a graph put together node by node") {
  Fixture f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t set, kernel, copy, call;
  CHECK_CALL(cudaGraphCreate(&graph, 0), cudaSuccess);

  cudaMemsetParams set_parameters = {};
  set_parameters.dst = f.a.data();
  set_parameters.value = 100;
  set_parameters.elementSize = sizeof(int);
  set_parameters.width = n;
  set_parameters.height = 1;
  CHECK_CALL(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &set_parameters), cudaSuccess);

  int *values = f.a.data();
  int number = 11;
  void *arguments[] = {&values, &number};
  cudaKernelNodeParams kernel_parameters = {};
  kernel_parameters.func = (void *)add;
  kernel_parameters.gridDim = dim3(4);
  kernel_parameters.blockDim = dim3(256);
  kernel_parameters.kernelParams = arguments;
  CHECK_CALL(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &kernel_parameters), cudaSuccess);
  CHECK_CALL(
      cudaGraphAddMemcpyNode1D(
          &copy, graph, nullptr, 0, f.host, f.a.data(), n * sizeof(int), cudaMemcpyDeviceToHost),
      cudaSuccess);
  CHECK_CALL(cudaGraphAddDependencies(graph, &kernel, &copy, nullptr, 1), cudaSuccess);
  int calls = 0;
  cudaHostNodeParams host_parameters = {};
  host_parameters.fn = count_call;
  host_parameters.userData = &calls;
  CHECK_CALL(cudaGraphAddHostNode(&call, graph, &copy, 1, &host_parameters), cudaSuccess);
  cudaGraphNodeType type;
  CHECK_CALL(cudaGraphNodeGetType(copy, &type), cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemcpy);

  CHECK_CALL(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaSuccess);
  CHECK(all_are({f.host, f.host + n}, 111));
  CHECK(calls == 1);

  number = 50; // arguments are read when they are given
  CHECK_CALL(cudaGraphExecKernelNodeSetParams(exec, kernel, &kernel_parameters), cudaSuccess);
  number = 0;
  CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaSuccess);
  CHECK(all_are({f.host, f.host + n}, 150));
  CHECK_CALL(cudaGraphExecDestroy(exec), cudaSuccess);
  CHECK_CALL(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_CASE("an instantiated graph takes over the parameters of another of its shape") {
  Fixture f;
  cudaGraphExec_t exec = nullptr;
  for (const int number : {3, 4}) {
    cudaGraph_t graph;
    CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal), cudaSuccess);
    add<<<4, 256, 0, f.s>>>(f.a.data(), number);
    CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaSuccess);
    if (exec == nullptr) {
      CHECK_CALL(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    } else {
      cudaGraphExecUpdateResultInfo result;
      CHECK_CALL(cudaGraphExecUpdate(exec, graph, &result), cudaSuccess);
      CHECK(result.result == cudaGraphExecUpdateSuccess);
    }
    CHECK_CALL(cudaGraphLaunch(exec, f.s), cudaSuccess);
    CHECK_CALL(cudaGraphDestroy(graph), cudaSuccess);
  }
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaSuccess);
  CHECK(all_are(f.a.to_host(), 7));
  CHECK_CALL(cudaGraphExecDestroy(exec), cudaSuccess);
}

} // namespace
