// Pipelines and the like that order all they do: nothing may be found.
#include "streams.hpp"

#include <cstdlib>
#include <vector>

namespace {

using namespace hazards;

__global__ void twice(int *out, const int *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n)
  if (i < n)
    out[i] = 2 * in[i];
}

__global__ void count(int *counter) { atomicAdd(counter, 1); }

volatile int seen; // what the host has read

// Each part has bytes of its own; the parts are next to each other.
CORRECT(parts_in_two_streams) {
  Streams s;
  constexpr int parts = 7;
  for (int part = 0; part < parts; ++part) {
    const int first = part * elements / parts, n = (part + 1) * elements / parts - first;
    const cudaStream_t stream = part % 2 ? s.b : s.a;
    const size_t bytes = static_cast<size_t>(n) * sizeof(int);
    cudaMemcpyAsync(m.in + first, s.pinned + first, bytes, cudaMemcpyHostToDevice, stream);
    twice<<<blocks, threads, 0, stream>>>(m.out + first, m.in + first, n);
    cudaMemcpyAsync(s.pinned + first, m.out + first, bytes, cudaMemcpyDeviceToHost, stream);
  }
  cudaStreamSynchronize(s.a);
  cudaStreamSynchronize(s.b);
  seen = s.pinned[elements / 2];
}

// A stream for each direction; events say when a buffer may be used again.
CORRECT(double_buffer_with_events) {
  Streams s;
  constexpr int half = elements / 2;
  const cudaEvent_t copied[2] = {s.first, s.second};
  cudaEvent_t used[2];
  for (cudaEvent_t &event : used)
    cudaEventCreate(&event);
  for (int part = 0; part < 6; ++part) {
    int *const buffer = m.in + part % 2 * half;
    cudaStreamWaitEvent(s.a, used[part % 2], 0); // the first two times there is nothing to wait for
    cudaMemcpyAsync(buffer, s.pinned, all_bytes / 2, cudaMemcpyHostToDevice, s.a);
    cudaEventRecord(copied[part % 2], s.a);
    cudaStreamWaitEvent(s.b, copied[part % 2], 0);
    twice<<<blocks, threads, 0, s.b>>>(m.out, buffer, half);
    cudaEventRecord(used[part % 2], s.b);
  }
  cudaDeviceSynchronize();
  for (cudaEvent_t event : used)
    cudaEventDestroy(event);
}

CORRECT(default_stream_orders_blocking_ones) {
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  cudaMemset(m.in, 0, all_bytes);
  twice<<<blocks, threads, 0, blocking>>>(m.out, m.in, elements); // waits for the default stream
  twice<<<blocks, threads>>>(m.in, m.out, elements); // waits for the blocking one
  twice<<<blocks, threads, 0, cudaStreamPerThread>>>(m.out, m.in, elements);
  cudaStreamSynchronize(cudaStreamPerThread);
  cudaStreamDestroy(blocking);
}

CORRECT(host_polls) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a);
  cudaEventRecord(s.first, s.a);
  while (cudaEventQuery(s.first) == cudaErrorNotReady)
    ;
  seen = s.pinned[0];
  twice<<<blocks, threads, 0, s.b>>>(s.managed, m.in, elements);
  while (cudaStreamQuery(s.b) == cudaErrorNotReady)
    ;
  seen = s.managed[0];
}

CORRECT(host_polls_the_default_stream) {
  Streams s;
  twice<<<blocks, threads>>>(s.managed, m.in, elements);
  for (int asked = 0; asked < 1000 && cudaStreamQuery(nullptr) == cudaErrorNotReady; ++asked)
    continue;
  seen = s.managed[0]; // a race unless the answer has been yes
}

CORRECT(atomics_of_two_streams) {
  Streams s;
  count<<<4, 64, 0, s.a>>>(m.out);
  count<<<4, 64, 0, s.b>>>(m.out);
}

CORRECT(streams_read_the_same) {
  Streams s;
  constexpr int half = elements / 2;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in, half);
  twice<<<blocks, threads, 0, s.b>>>(m.out + half, m.in, half);
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost);
}

CORRECT(graph_that_forks_and_joins) {
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a);
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(s.b, s.first, 0);
  constexpr int half = elements / 2;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in, half);
  twice<<<blocks, threads, 0, s.b>>>(m.out + half, m.in + half, half);
  cudaEventRecord(s.second, s.b);
  cudaStreamWaitEvent(s.a, s.second, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.a);
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i)
    cudaGraphLaunch(exec, s.a);
  cudaStreamSynchronize(s.a);
  seen = s.pinned[0];
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// The host works on its half meanwhile.
CORRECT(host_and_device_have_a_half_each) {
  Streams s;
  constexpr int half = elements / 2;
  twice<<<blocks, threads, 0, s.a>>>(s.managed, m.in, half);
  for (int i = half; i < elements; ++i)
    s.managed[i] = i;
  cudaStreamSynchronize(s.a);
  seen = s.managed[0];
}

// As CUDA does it: such a copy is done when the call returns.
CORRECT(pageable_copies_return_when_done) {
  Streams s;
  static int numbers[elements];
  for (int i = 0; i < elements; ++i)
    numbers[i] = i;
  cudaMemcpyAsync(m.in, numbers, all_bytes, cudaMemcpyHostToDevice, s.a);
  numbers[0] = 7;
  cudaMemcpyAsync(numbers, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a);
  seen = numbers[0];
}

CORRECT(allocated_and_freed_in_order) {
  Streams s;
  int *scratch;
  cudaMallocAsync(&scratch, all_bytes, s.a);
  twice<<<blocks, threads, 0, s.a>>>(scratch, m.in, elements);
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(s.b, s.first, 0);
  twice<<<blocks, threads, 0, s.b>>>(m.out, scratch, elements);
  cudaEventRecord(s.second, s.b);
  cudaStreamWaitEvent(s.a, s.second, 0);
  cudaFreeAsync(scratch, s.a);
}

void CUDART_CB take(void *data) { seen = static_cast<int *>(data)[7]; }

CORRECT(host_function_in_its_stream) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a);
  cudaLaunchHostFunc(s.a, take, s.pinned);
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a);
  cudaStreamSynchronize(s.a);
  s.pinned[7] = seen;
}

[[gnu::noinline]] void halve(int *number) { *number /= 2; }
void CUDART_CB halve_later(void *data) {
  int number = *static_cast<int *>(data); // on the stack, where the next one's lies, too
  halve(&number);
  *static_cast<int *>(data) = number;
}

CORRECT(variables_of_host_functions) {
  Streams s;
  cudaLaunchHostFunc(s.a, halve_later, s.pinned);
  cudaLaunchHostFunc(s.b, halve_later, s.pinned + 1);
}

void CUDART_CB take_and_free(void *data) {
  seen = *static_cast<int *>(data);
  std::free(data);
}

CORRECT(freed_by_a_host_function_and_allocated_again) {
  Streams s;
  int *number = static_cast<int *>(std::malloc(sizeof(int)));
  *number = 7;
  cudaLaunchHostFunc(s.a, take_and_free, number);
  std::vector<int *> others;
  do { // nobody waits for the stream: the heap does, before it hands the same memory out again
    others.push_back(static_cast<int *>(std::malloc(sizeof(int))));
    *others.back() = 8;
  } while (others.back() != number && others.size() < 1000);
  cudaStreamSynchronize(s.a);
  for (int *other : others)
    std::free(other);
}

CORRECT(synchronous_copies) {
  Streams s;
  twice<<<blocks, threads>>>(m.out, m.in, elements);
  cudaMemcpy(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost);
  seen = s.pinned[3];
  s.pinned[3] = 0;
  cudaMemcpy(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice);
  s.pinned[3] = 1;
}

} // namespace
