// Tasks of streams, and the host, that touch the same bytes in no order.
#include "streams.hpp"
#include <observation/observe.hpp>

namespace {

using namespace hazards;

__global__ void twice(int *out, const int *in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, elements)
  out[i] = 2 * in[i];
}

volatile int seen; // what the host has read

HAZARD(no_event_between_copy_and_kernel, stream_race) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  twice<<<blocks, threads, 0, s.b>>>(m.out, m.in); // here
}

HAZARD(launch_without_its_stream, stream_race) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  twice<<<blocks, threads>>>(m.out, m.in); // here
}

HAZARD(copy_without_its_stream, stream_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost); // here
}

HAZARD(waits_before_it_is_recorded, stream_race) {
  Streams s;
  cudaStreamWaitEvent(s.b, s.first, 0); // nothing has been recorded: it waits for nothing
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.first, s.a);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

// Who reads waits for nobody; the wait that is there is for who has read in a round before, and this is the first one.
HAZARD(reader_without_a_wait, stream_race) {
  Streams s;
  cudaStreamWaitEvent(s.a, s.second, 0);
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.first, s.a);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
  cudaEventRecord(s.second, s.b);
}

HAZARD(records_before_the_kernel, stream_race) {
  Streams s;
  cudaEventRecord(s.first, s.a);
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaStreamWaitEvent(s.b, s.first, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

HAZARD(records_too_early_behind_a_vain_wait, stream_race) {
  Streams s;
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(
      s.a, s.second, 0); // nothing has been recorded, as in the first of many rounds
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaStreamWaitEvent(s.b, s.first, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

HAZARD(waits_the_other_way_round, stream_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.first, s.b);
  cudaStreamWaitEvent(s.a, s.first, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

HAZARD(waits_for_its_own_event, stream_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.second, s.b);
  cudaStreamWaitEvent(s.b, s.second, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

HAZARD(one_event_for_two_kernels, stream_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaEventRecord(s.first, s.a);
  cudaEventRecord(s.first, nullptr);
  cudaStreamWaitEvent(s.b, s.first, 0);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.b); // here
}

HAZARD(streams_share_a_device_buffer, stream_race) {
  Streams s;
  for (cudaStream_t stream : {s.a, s.b}) {
    cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, stream); // here other
    cudaStreamSynchronize(stream == s.a ? s.b : s.a); // the other one
  }
}

HAZARD(next_part_overwrites_the_input, stream_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // other
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.b); // here
}

HAZARD(non_blocking_stream_after_memset, stream_race) {
  Streams s;
  cudaMemset(m.in, 0, all_bytes); // other
  twice<<<blocks, threads, 0, s.a>>>(m.out, m.in); // here
}

// What tells the two apart is who has called.
void submit(cudaStream_t stream, int *out, const int *in) {
  twice<<<blocks, threads, 0, stream>>>(out, in);
}
HAZARD(helper_submits_both, stream_race) {
  Streams s;
  submit(s.a, m.out, m.in); // other
  submit(s.b, m.in, m.out); // here
}

HAZARD(helper_submits_in_a_loop, stream_race) {
  Streams s;
  for (cudaStream_t stream : {s.a, s.b})
    submit(stream, m.out, m.in); // here other
}

HAZARD(freed_while_in_use, stream_race) {
  Streams s;
  int *scratch;
  cudaMallocAsync(&scratch, all_bytes, s.a);
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(s.b, s.first, 0);
  twice<<<blocks, threads, 0, s.b>>>(scratch, m.in); // other
  cudaFreeAsync(scratch, s.a); // here
}

HAZARD(used_before_it_is_allocated, stream_race) {
  Streams s;
  int *scratch;
  cudaMallocAsync(&scratch, all_bytes, s.a); // other
  twice<<<blocks, threads, 0, s.b>>>(scratch, m.in); // here
  cudaDeviceSynchronize();
  cudaFree(scratch);
}

HAZARD(graph_lacks_an_edge, stream_race) {
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

void CUDART_CB add_up(void *data) { seen = static_cast<int *>(data)[7]; }

HAZARD(host_function_in_the_wrong_stream, stream_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaLaunchHostFunc(s.b, add_up, s.pinned); // here
}

// ------------------------------------------------------------------------------ with the host

HAZARD(pinned_buffer_reused_too_early, host_race) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  s.pinned[100] = 0; // here
}

HAZARD(result_read_too_early, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  seen = s.pinned[elements - 1]; // here
}

HAZARD(managed_read_without_waiting, host_race) {
  Streams s;
  twice<<<blocks, threads, 0, s.a>>>(s.managed, m.in); // other
  seen = s.managed[0]; // here
}

HAZARD(managed_write_during_a_kernel, host_race) {
  Streams s;
  twice<<<blocks, threads>>>(m.out, s.managed); // other
  s.managed[5] = 1; // here
}

HAZARD(zero_copy_read_without_waiting, host_race) {
  Streams s;
  int *on_device;
  cudaHostGetDevicePointer(&on_device, s.pinned, 0);
  twice<<<blocks, threads, 0, s.a>>>(on_device, m.in); // other
  seen = s.pinned[1]; // here
}

HAZARD(waits_for_the_wrong_stream, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaStreamSynchronize(s.b);
  seen = s.pinned[0]; // here
}

// Host code that nobody instrumented tells of its accesses itself.
HAZARD(library_reads_too_early, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  emu::host_touches(s.pinned, all_bytes, false); // here
}

HAZARD(query_thrown_away, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  (void)cudaStreamQuery(s.a);
  seen = s.pinned[0]; // here
}

HAZARD(reads_where_the_event_is_not_ready, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.in, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaEventRecord(s.first, s.a);
  if (cudaEventQuery(s.first) == cudaErrorNotReady)
    seen = s.pinned[0]; // here
}

HAZARD(waits_for_an_event_before_the_copy, host_race) {
  Streams s;
  cudaEventRecord(s.first, s.a);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaEventRecord(s.second, s.a);
  cudaEventSynchronize(s.first);
  seen = s.pinned[0]; // here
}

HAZARD(waits_for_the_only_event_before_the_copy, host_race) {
  Streams s;
  cudaEventRecord(s.first, s.a);
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaEventSynchronize(s.first);
  seen = s.pinned[0]; // here
}

HAZARD(waits_for_the_event_of_another_copy, host_race) {
  Streams s;
  cudaMemcpyAsync(s.pinned, m.out, all_bytes, cudaMemcpyDeviceToHost, s.a); // other
  cudaEventRecord(s.first, s.a);
  cudaEventRecord(s.first, s.b);
  cudaEventSynchronize(s.first);
  seen = s.pinned[0]; // here
}

HAZARD(default_stream_waits_for_the_event, stream_race) {
  Streams s;
  cudaMemcpyAsync(m.in, s.pinned, all_bytes, cudaMemcpyHostToDevice, s.a); // other
  cudaEventRecord(s.first, s.a);
  cudaStreamWaitEvent(nullptr, s.first, 0);
  twice<<<blocks, threads, 0, s.b>>>(m.out, m.in); // here
}

} // namespace
