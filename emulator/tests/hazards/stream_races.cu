// Tasks of streams, and the host, that touch the same bytes in no order.
#include "streams.hpp"
#include <observation/observe.hpp>

namespace {

using hazards::all_bytes;
using hazards::blocks;
using hazards::elements;
using hazards::Memory;
using hazards::Streams;
using hazards::threads;

__global__ void twice(int *out, const int *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, elements)
  out[i] = 2 * in[i];
}

volatile int seen; // what the host has read

void missing_event_wait(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  twice<<<blocks, threads, 0, s.b>>>(m.out, m.in); // here
  cudaDeviceSynchronize();
}
HAZARD(no_event_between_copy_and_kernel, stream_race, { missing_event_wait(m); })

void wait_before_record(const Memory &m) {
  Streams s;
  cudaStreamWaitEvent(s.b, s.first, 0); // nothing has been recorded: it waits for nothing
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.first, s.a);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
  cudaDeviceSynchronize();
}
HAZARD(waits_before_it_is_recorded, stream_race, { wait_before_record(m); })

void record_too_early(const Memory &m) {
  Streams s;
  cudaEventRecord(s.first, s.a);
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaStreamWaitEvent(s.b, s.first, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
  cudaDeviceSynchronize();
}
HAZARD(records_before_the_kernel, stream_race, { record_too_early(m); })

void shared_buffer(const Memory &m) {
  Streams s;
  for (cudaStream_t stream : {s.a, s.b}) {
    cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, stream); // here other
    cudaStreamSynchronize(stream == s.a ? s.b : s.a); // the other one
  }
  cudaDeviceSynchronize();
}
HAZARD(streams_share_a_device_buffer, stream_race, { shared_buffer(m); })

void double_buffer(const Memory &m) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.b); // here
  cudaDeviceSynchronize();
}
HAZARD(next_part_overwrites_the_input, stream_race, { double_buffer(m); })

void default_stream_does_not_help(const Memory &m) {
  Streams s;
  cudaMemset(m.in, 0, all_bytes); // other
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // here
  cudaDeviceSynchronize();
}
HAZARD(non_blocking_stream_after_memset, stream_race, { default_stream_does_not_help(m); })

void freed_in_another_stream(const Memory &m) {
  Streams s;
  int *scratch;
  cudaMallocAsync(&scratch, all_bytes, s.a);
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(s.b, s.first, 0);
  twice<<<blocks, threads, 0, s.b>>>(scratch, m.in); // other
  cudaFreeAsync(scratch, s.a); // here
  cudaDeviceSynchronize();
}
HAZARD(freed_while_in_use, stream_race, { freed_in_another_stream(m); })

void allocated_in_another_stream(const Memory &m) {
  Streams s;
  int *scratch;
  cudaMallocAsync(&scratch, all_bytes, s.a); // other
  twice<<<blocks, threads, 0, s.b>>>(scratch, m.in); // here
  cudaDeviceSynchronize();
  cudaFree(scratch);
}
HAZARD(used_before_it_is_allocated, stream_race, { allocated_in_another_stream(m); })

void graph_without_an_edge(const Memory &m) {
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t copy, back;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D( // other
      &copy,
      graph,
      nullptr,
      0,
      m.in,
      s.pinned,
      all_bytes,
      cudaMemcpyHostToDevice);
  cudaGraphAddMemcpyNode1D( // here
      &back,
      graph,
      nullptr,
      0,
      s.managed,
      m.in,
      all_bytes,
      cudaMemcpyDefault);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s.a);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}
HAZARD(graph_lacks_an_edge, stream_race, { graph_without_an_edge(m); })

void CUDART_CB add_up(void *data) { seen = static_cast<int *>(data)[7]; }

void callback_in_another_stream(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaLaunchHostFunc(s.b, add_up, s.pinned); // here
  cudaDeviceSynchronize();
}
HAZARD(host_function_in_the_wrong_stream, stream_race, { callback_in_another_stream(m); })

// ------------------------------------------------------------------------------ with the host

void reused_too_early(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  s.pinned[100] = 0; // here
  cudaDeviceSynchronize();
}
HAZARD(pinned_buffer_reused_too_early, host_race, { reused_too_early(m); })

void read_too_early(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  seen = s.pinned[elements - 1]; // here
  cudaDeviceSynchronize();
}
HAZARD(result_read_too_early, host_race, { read_too_early(m); })

void managed_read(const Memory &m) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(s.managed, m.in); // other
  seen = s.managed[0]; // here
  cudaDeviceSynchronize();
}
HAZARD(managed_read_without_waiting, host_race, { managed_read(m); })

void managed_write(const Memory &m) {
  Streams s;
  twice<<<blocks, threads>>>(m.out, s.managed); // other
  s.managed[5] = 1; // here
  cudaDeviceSynchronize();
}
HAZARD(managed_write_during_a_kernel, host_race, { managed_write(m); })

void mapped_read(const Memory &m) {
  Streams s;
  int *on_device;
  cudaHostGetDevicePointer(&on_device, s.pinned, 0);
  twice<<<blocks, threads, 0, s.a>>>(on_device, m.in); // other
  seen = s.pinned[1]; // here
  cudaDeviceSynchronize();
}
HAZARD(zero_copy_read_without_waiting, host_race, { mapped_read(m); })

void wrong_stream(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaStreamSynchronize(s.b);
  seen = s.pinned[0]; // here
  cudaDeviceSynchronize();
}
HAZARD(waits_for_the_wrong_stream, host_race, { wrong_stream(m); })

// Host code that nobody instrumented tells of its accesses itself.
void told(const Memory &m) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  emu::host_touches(s.pinned, all_bytes, false); // here
  cudaDeviceSynchronize();
}
HAZARD(library_reads_too_early, host_race, { told(m); })

} // namespace
