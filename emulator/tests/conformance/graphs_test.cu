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
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal));
  CHECK(status_of(f.s) == cudaStreamCaptureStatusActive);
  CHECK(status_of(f.other) == cudaStreamCaptureStatusNone);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 2);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 5);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK_OK(cudaMemcpyAsync(f.host, f.a.data(), n * sizeof(int), cudaMemcpyDeviceToHost, f.s));
  CHECK_OK(cudaStreamEndCapture(f.s, &graph));
  CHECK(status_of(f.s) == cudaStreamCaptureStatusNone);
  CHECK(node_count(graph) == 3);
  CHECK(all_are(f.a.to_host(), 0));
  CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_OK(cudaGraphDestroy(graph)); // what was made of it stays
  for (int launches = 1; launches <= 3; ++launches) {
    CHECK_OK(cudaGraphLaunch(exec, f.s));
    CHECK_OK(cudaStreamSynchronize(f.s));
    CHECK(all_are({f.host, f.host + n}, 7 * launches));
  }
  CHECK_OK(cudaGraphExecDestroy(exec));
}

TEST_CASE("an event brings another stream into the capture") {
  Fixture f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeThreadLocal));
  CHECK_OK(cudaEventRecord(f.fork, f.s));
  CHECK_OK(cudaStreamWaitEvent(f.other, f.fork, 0));
  CHECK(status_of(f.other) == cudaStreamCaptureStatusActive);
  add<<<4, 256, 0, f.s>>>(f.a.data(), 1);
  add<<<4, 256, 0, f.other>>>(f.b.data(), 10);
  CHECK_OK(cudaEventRecord(f.join, f.other));
  CHECK_OK(cudaStreamWaitEvent(f.s, f.join, 0));
  sum_of<<<4, 256, 0, f.s>>>(f.sum.data(), f.a.data(), f.b.data());
  CHECK_OK(cudaStreamEndCapture(f.s, &graph));
  size_t edges = 0, roots = 0;
  CHECK_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK_OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(node_count(graph) == 3);
  CHECK(edges == 2);
  CHECK(roots == 2);
  CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_OK(cudaGraphLaunch(exec, f.s));
  CHECK_OK(cudaGraphLaunch(exec, f.s));
  CHECK_OK(cudaStreamSynchronize(f.s));
  CHECK(all_are(f.sum.to_host(), 22));
  CHECK_OK(cudaGraphExecDestroy(exec));
  CHECK_OK(cudaGraphDestroy(graph));
}

TEST_CASE("what may not be captured ends the capture without a graph") {
  Fixture f;
  cudaGraph_t graph = nullptr;
  CHECK_CALL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
             cudaErrorStreamCaptureUnsupported);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorIllegalState);

  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed));
  CHECK_CALL(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  CHECK_CALL(cudaStreamSynchronize(f.s), cudaErrorStreamCaptureUnsupported);
  CHECK(status_of(f.s) == cudaStreamCaptureStatusInvalidated);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);

  // Nobody waits for the other stream's work.
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed));
  CHECK_OK(cudaEventRecord(f.fork, f.s));
  CHECK_OK(cudaStreamWaitEvent(f.other, f.fork, 0));
  add<<<4, 256, 0, f.other>>>(f.b.data(), 10);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureUnjoined);
  CHECK(status_of(f.other) == cudaStreamCaptureStatusNone);

  // An event that was captured has not happened.
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed));
  CHECK_OK(cudaEventRecord(f.fork, f.s));
  CHECK_CALL(cudaEventQuery(f.fork), cudaErrorCapturedEvent);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_CALL(cudaEventSynchronize(f.fork), cudaErrorInvalidValue);

  // Streams that the default stream would have to wait for.
  cudaStream_t blocking;
  REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
  CHECK_OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  add<<<4, 256>>>(f.b.data(), 10);
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  CHECK_CALL(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal));
  int *memory = nullptr;
  CHECK_CALL(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
  CHECK_OK(cudaStreamDestroy(blocking));

  // An event from outside.
  CHECK_OK(cudaEventRecord(f.fork, f.other));
  CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeRelaxed));
  CHECK_CALL(cudaStreamWaitEvent(f.s, f.fork, 0), cudaErrorStreamCaptureIsolation);
  CHECK_CALL(cudaStreamEndCapture(f.s, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a graph put together node by node") {
  Fixture f;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t set, kernel, copy, call;
  CHECK_OK(cudaGraphCreate(&graph, 0));

  cudaMemsetParams set_parameters = {};
  set_parameters.dst = f.a.data();
  set_parameters.value = 100;
  set_parameters.elementSize = sizeof(int);
  set_parameters.width = n;
  set_parameters.height = 1;
  CHECK_OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &set_parameters));

  int *values = f.a.data();
  int number = 11;
  void *arguments[] = {&values, &number};
  cudaKernelNodeParams kernel_parameters = {};
  kernel_parameters.func = (void *)add;
  kernel_parameters.gridDim = dim3(4);
  kernel_parameters.blockDim = dim3(256);
  kernel_parameters.kernelParams = arguments;
  CHECK_OK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &kernel_parameters));
  CHECK_OK(cudaGraphAddMemcpyNode1D(
      &copy, graph, nullptr, 0, f.host, f.a.data(), n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK_OK(cudaGraphAddDependencies(graph, &kernel, &copy, nullptr, 1));
  int calls = 0;
  cudaHostNodeParams host_parameters = {};
  host_parameters.fn = count_call;
  host_parameters.userData = &calls;
  CHECK_OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &host_parameters));
  cudaGraphNodeType type;
  CHECK_OK(cudaGraphNodeGetType(copy, &type));
  CHECK(type == cudaGraphNodeTypeMemcpy);

  CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_OK(cudaGraphLaunch(exec, f.s));
  CHECK_OK(cudaStreamSynchronize(f.s));
  CHECK(all_are({f.host, f.host + n}, 111));
  CHECK(calls == 1);

  number = 50; // arguments are read when they are given
  CHECK_OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &kernel_parameters));
  number = 0;
  CHECK_OK(cudaGraphLaunch(exec, f.s));
  CHECK_OK(cudaStreamSynchronize(f.s));
  CHECK(all_are({f.host, f.host + n}, 150));
  CHECK_OK(cudaGraphExecDestroy(exec));
  CHECK_OK(cudaGraphDestroy(graph));
}

TEST_CASE("an instantiated graph takes over the parameters of another of its shape") {
  Fixture f;
  cudaGraphExec_t exec = nullptr;
  for (const int number : {3, 4}) {
    cudaGraph_t graph;
    CHECK_OK(cudaStreamBeginCapture(f.s, cudaStreamCaptureModeGlobal));
    add<<<4, 256, 0, f.s>>>(f.a.data(), number);
    CHECK_OK(cudaStreamEndCapture(f.s, &graph));
    if (exec == nullptr) {
      CHECK_OK(cudaGraphInstantiate(&exec, graph, 0));
    } else {
      cudaGraphExecUpdateResultInfo result;
      CHECK_OK(cudaGraphExecUpdate(exec, graph, &result));
      CHECK(result.result == cudaGraphExecUpdateSuccess);
    }
    CHECK_OK(cudaGraphLaunch(exec, f.s));
    CHECK_OK(cudaGraphDestroy(graph));
  }
  CHECK_OK(cudaStreamSynchronize(f.s));
  CHECK(all_are(f.a.to_host(), 7));
  CHECK_OK(cudaGraphExecDestroy(exec));
}

} // namespace
