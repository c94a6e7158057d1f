// Ordinary code at which instruments could look past what it does.
#include <cmath>

#include "hazards.hpp"

namespace {

// Functions of the C library store through pointers, without a line of the program's own.
__global__ void whole_parts_kernel(double *out) {
  __shared__ double s_whole[64];
  const unsigned tid = threadIdx.x;
  out[tid] = modf(tid + 0.5, &s_whole[tid]); // other
  out[tid] += s_whole[63 - tid]; // here
}
HAZARD(modf_stores_before_a_barrier, shared_race) {
  whole_parts_kernel<<<1, 64>>>(reinterpret_cast<double *>(m.out));
}

__global__ void exponents_kernel(float *out) {
  __shared__ int s_exponent[64];
  const unsigned tid = threadIdx.x;
  out[tid] = std::frexp(tid + 1.0f, &s_exponent[tid]); // other
  out[tid] += static_cast<float>(s_exponent[63 - tid]); // here
}
HAZARD(frexp_stores_before_a_barrier, shared_race) {
  exponents_kernel<<<1, 64>>>(reinterpret_cast<float *>(m.out));
}

__global__ void lengths_kernel(float *out) {
  __shared__ float s_x[64];
  const unsigned tid = threadIdx.x;
  s_x[tid] = static_cast<float>(tid); // other
  out[tid] = normf(2, &s_x[(tid ^ 32) & 62]); // here
}
HAZARD(normf_loads_before_a_barrier, shared_race) {
  lengths_kernel<<<1, 64>>>(reinterpret_cast<float *>(m.out));
}

__global__ void library_functions_kernel(double *out) {
  __shared__ double s_sine[64], s_cosine[64], s_whole[64];
  const unsigned tid = threadIdx.x;
  double sine, cosine;
  sincospi(tid / 64.0, &s_sine[tid], &s_cosine[tid]);
  sincos(tid / 64.0, &sine, &cosine);
  const double part = modf(sine * cosine, &s_whole[tid]);
  __syncthreads();
  out[tid] = norm(2, &s_sine[tid & 62]) + s_cosine[63 - tid] + s_whole[63 - tid] + part;
}
CORRECT(library_functions_behind_a_barrier) {
  library_functions_kernel<<<1, 64>>>(reinterpret_cast<double *>(m.out));
}

// More different warnings than anybody wants to read, and then an error.
template <int Line> __device__ void same_value(int *out) {
  out[Line] = Line;
  if constexpr (Line % 400 > 1)
    same_value<Line - 1>(out);
}
__global__ void many_warnings_kernel(int *out) {
  same_value<400>(out);
  same_value<800>(out);
  same_value<1200>(out);
}
__global__ void behind_many_warnings_kernel(int *out) {
  __shared__ int s_data[64];
  s_data[threadIdx.x] = threadIdx.x; // other
  out[threadIdx.x] = s_data[63 - threadIdx.x]; // here
}
HAZARD_WITH(race_behind_many_warnings, shared_race, same_value_race) {
  many_warnings_kernel<<<1, 64>>>(m.out);
  behind_many_warnings_kernel<<<1, 64>>>(m.out);
}

// A local array is its thread's own: on a GPU this address means another place in each thread.
__global__ void local_of_another_kernel(int *out) {
  __shared__ int *s_first;
  int mine[4] = {1, 2, 3, out[threadIdx.x]};
  if (threadIdx.x == 0)
    s_first = mine;
  __syncthreads();
  out[threadIdx.x] = s_first[threadIdx.x % 4] + mine[out[threadIdx.x] & 3]; // here
  __syncthreads();
}
HAZARD(local_array_of_another_thread, local_pointer) { local_of_another_kernel<<<1, 64>>>(m.out); }

__global__ void own_local_kernel(int *out) {
  __shared__ int *s_own[64];
  int mine[4] = {1, 2, 3, out[threadIdx.x]};
  s_own[threadIdx.x] = mine;
  __syncthreads();
  out[threadIdx.x] = s_own[threadIdx.x][threadIdx.x % 4];
}
CORRECT(own_local_array_by_a_pointer_in_shared_memory) { own_local_kernel<<<1, 64>>>(m.out); }

// A lane that meets itself has met nobody, also when it is the last one of its warp.
__global__ void last_of_its_warp_kernel(int *out) {
  __shared__ int s_value[32];
  const unsigned lane = threadIdx.x;
  s_value[lane] = lane; // other
  if (lane != 31)
    return;
  __syncwarp(1u << 31);
  out[0] = s_value[7]; // here
}
HAZARD(meets_itself_when_the_others_are_gone, shared_race) {
  last_of_its_warp_kernel<<<1, 32>>>(m.out);
}

__global__ void named_and_gone_kernel(int *out) {
  __shared__ int s_value[32];
  const unsigned lane = threadIdx.x;
  s_value[lane] = lane;
  __syncwarp();
  if (lane >= 16)
    return;
  out[lane] = s_value[lane + 16];
  __syncwarp(0xffff);
  s_value[lane + 16] = out[lane];
  __syncwarp(0xffff);
  out[lane] = s_value[31 - lane];
}
CORRECT(those_that_stay_meet_each_other) { named_and_gone_kernel<<<1, 32>>>(m.out); }

// By how many bits a number may be shifted.
__global__ void threads_before_kernel(const int *in, int *out) {
  out[threadIdx.x] = __popc(in[threadIdx.x] & ((1u << threadIdx.x) - 1)); // here
}
HAZARD(shift_by_the_thread, undefined_shift) { threads_before_kernel<<<1, 33>>>(m.in, m.out); }

__global__ void all_bits_out_kernel(const int *in, long *out) {
  const long number = in[threadIdx.x];
  out[threadIdx.x] = number >> (in[63] + 1); // here
}
HAZARD(shift_by_all_bits, undefined_shift) {
  all_bits_out_kernel<<<1, 32>>>(m.in, reinterpret_cast<long *>(m.out));
}

__global__ void to_the_other_side_kernel(const int *in, int *out) {
  out[threadIdx.x] = in[threadIdx.x] << (in[threadIdx.x] - 1); // here
}
HAZARD(shift_by_less_than_none, undefined_shift) {
  to_the_other_side_kernel<<<1, 32>>>(m.in, m.out);
}

__global__ void shifts_kernel(const int *in, int *out) {
  const int lane = threadIdx.x % 32, by = in[threadIdx.x];
  const unsigned before = (1u << lane) - 1;
  unsigned number = __funnelshift_lc(before, 1u, by) + __funnelshift_r(before, 1u, by);
  asm("shl.b32 %0, %1, %2;" : "=r"(number) : "r"(number), "r"(by));
  number += static_cast<unsigned>((1ull << by) >> 32) + (by < 32 ? 1u << by : 0u);
  out[threadIdx.x] = static_cast<int>(number);
}
CORRECT(shifts_within_the_bits) { shifts_kernel<<<1, 64>>>(m.in, m.out); }
CORRECT(shift_by_the_host) {
  volatile int by = 40;
  int number = 1;
  number <<= by;
  cudaMemcpy(m.out, &number, sizeof number, cudaMemcpyHostToDevice);
}

// What is left behind at the end is named with the line that made it.
WARNING(stream_never_destroyed, leak) {
  cudaStream_t stream;
  cudaStreamCreate(&stream); // here
}
WARNING(event_never_destroyed, leak) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming); // here
}
WARNING(graph_never_destroyed, leak) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0); // here
}
WARNING(pinned_memory_never_freed, leak) {
  int *pinned;
  cudaMallocHost(&pinned, 100); // here
}
CORRECT(what_is_made_is_destroyed) {
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(m.out, 0, 4, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

} // namespace
