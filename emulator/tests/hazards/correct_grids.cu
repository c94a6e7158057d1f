// Correct kernels whose blocks share data, and all the ways to bring data to them and back: none
// may raise an alarm. (Those that a missing fence spoils are in global_races.cu.)
#include "hazards.hpp"

#include <cooperative_groups.h>
#include <vector>

namespace {

__global__ void add_kernel(const int *in, int *out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] + 1;
}
CORRECT(ragged_tail) { add_kernel<<<4, 96>>>(m.in, m.out, 1001); }
CORRECT(launches_in_a_row) {
  add_kernel<<<4, 96>>>(m.in, m.raw, 1001);
  add_kernel<<<3, 64>>>(m.raw, m.out, 1001); // other blocks, other threads: a launch orders
  add_kernel<<<4, 96>>>(m.out, m.out, 1001);
}

// One atomic for all lanes that came by the same calls: those of the other branch count elsewhere.
__device__ int place_in(int *counter) {
  const auto together = cooperative_groups::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0)
    first = atomicAdd(counter, static_cast<int>(together.num_threads()));
  return together.shfl(first, 0) + static_cast<int>(together.thread_rank());
}
__global__ void two_lists_kernel(const int *in, int *thirds, int *others, int *counts) {
  const int value = in[threadIdx.x];
  if (value % 3 == 0)
    thirds[place_in(&counts[0])] = value;
  else
    others[place_in(&counts[1])] = value;
}
CORRECT(aggregated_atomics_in_two_branches) {
  two_lists_kernel<<<1, 64>>>(m.in, m.out + 128, m.out + 256, m.out);
}

__global__ void in_place_kernel(int *data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 2;
  data[i] += 1;
}
CORRECT(in_place) { in_place_kernel<<<4, 64>>>(m.out); }

__global__ void wide_kernel(const int4 *in, int4 *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 value = in[i];
  value.x += value.w;
  out[i] = value;
}
CORRECT(vectors) {
  wide_kernel<<<4, 64>>>(reinterpret_cast<int4 *>(m.in), reinterpret_cast<int4 *>(m.out));
}

__global__ void one_sum_kernel(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out, in[i]);
  atomicMax(out + 1, in[i]);
}
CORRECT(atomics_between_blocks) { one_sum_kernel<<<8, 64>>>(m.in, m.out); }

// Each thread that finds something gets a place of its own.
__global__ void queue_kernel(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 3 == 0)
    out[1 + atomicAdd(out, 1)] = in[i];
}
CORRECT(places_from_a_counter) { queue_kernel<<<4, 64>>>(m.in, m.out); }

// Whoever sees the flag need not look any more.
__global__ void search_kernel(const int *in, int *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicAdd(out, 0) != 0)
    return;
  if (in[i] == 77)
    atomicExch(out, 1);
}
CORRECT(early_out_by_atomics) { search_kernel<<<8, 64>>>(m.in, m.out); }

// A volatile flag that nothing else depends on.
__global__ void volatile_flag_kernel(const int *in, int *out) {
  volatile int *found = out;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (*found == 0 && in[i] == 77)
    *found = 1;
}
CORRECT(early_out_by_volatile) { volatile_flag_kernel<<<8, 64>>>(m.in, m.out); }

// What a block has acquired through its first thread, all of it knows after a barrier; what that one has but read, each
// may acquire by a fence.
template <bool EACH_FENCES> __global__ void acquired_for_all_kernel(int *out) {
  __shared__ int s_place;
  int *flag = out + 1024, *ticket = out + 1025;
  if (threadIdx.x == 0)
    s_place = atomicAdd(ticket, 1);
  __syncthreads();
  if (s_place == 0) {
    out[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      atomicExch(flag, 1);
    return;
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    if (!EACH_FENCES)
      __threadfence();
  }
  __syncthreads();
  if (EACH_FENCES)
    __threadfence();
  out[s_place * 64 + threadIdx.x] = out[63 - threadIdx.x];
}
CORRECT(acquired_for_all) { acquired_for_all_kernel<false><<<3, 64>>>(m.out); }
CORRECT(acquired_by_all) { acquired_for_all_kernel<true><<<3, 64>>>(m.out); }

// As CUDA's guide and its sample of the last block have it: a fence before the ticket and none behind, but all that goes
// from block to block is volatile.
__global__ void last_block_of_the_guide_kernel(const int *in, volatile int *out, unsigned *count) {
  __shared__ bool s_last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    s_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!s_last)
    return;
  int sum = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
    sum += out[block];
  out[1024 + threadIdx.x] = sum;
  if (threadIdx.x == 0)
    *count = 0;
}
CORRECT(last_block_of_the_guide) {
  last_block_of_the_guide_kernel<<<96, 64>>>(
      m.in, m.out, reinterpret_cast<unsigned *>(m.out) + 2048);
}

// A chain: each block passes on what it got from the one before, in the order in which they come.
__global__ void chain_kernel(int *out) {
  int *flags = out + 1024, *ticket = out + 2048;
  if (threadIdx.x != 0)
    return;
  const int place = atomicAdd(ticket, 1);
  if (place > 0)
    while (atomicAdd(flags + place - 1, 0) == 0) {
    }
  __threadfence();
  if (place == 0)
    out[0] = 5;
  if (place == static_cast<int>(gridDim.x) - 1)
    out[1] = out[0];
  __threadfence();
  atomicExch(flags + place, 1);
}
CORRECT(chain_of_messages) { chain_kernel<<<6, 32>>>(m.out); }

__constant__ int factors[4];
__constant__ const int summands[4] = {5, 6, 7, 8};
__device__ int offsets[4] = {1, 2, 3, 4};
__device__ int results[64];

__global__ void variables_kernel() {
  results[threadIdx.x] =
      factors[threadIdx.x % 4] * offsets[threadIdx.x % 4] + summands[threadIdx.x % 4];
}
CORRECT(variables_of_the_device) {
  const int host[4] = {1, 2, 3, 4};
  int back[64];
  cudaMemcpyToSymbol(factors, host, sizeof host);
  variables_kernel<<<1, 64>>>();
  cudaMemcpyFromSymbol(back, results, sizeof back);
}

CORRECT(managed_memory) {
  int *managed;
  cudaMallocManaged(&managed, 1024 * sizeof(int));
  for (int i = 0; i < 1024; ++i)
    managed[i] = i;
  add_kernel<<<4, 64>>>(managed, m.out, 1024);
  cudaDeviceSynchronize();
  managed[0] = 1;
  cudaFree(managed);
}

CORRECT(pinned_memory) {
  int *pinned;
  cudaHostAlloc(&pinned, 1024 * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < 1024; ++i)
    pinned[i] = i;
  int *device;
  cudaHostGetDevicePointer(&device, pinned, 0);
  add_kernel<<<4, 64>>>(device, m.out, 1024);
  cudaDeviceSynchronize();
  cudaFreeHost(pinned);
}

CORRECT(copies_in_streams) {
  std::vector<int> host(1024, 1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(m.raw, host.data(), 4096, cudaMemcpyHostToDevice, stream);
  add_kernel<<<4, 64, 0, stream>>>(m.raw, m.out, 1024);
  cudaMemcpyAsync(host.data(), m.out, 4096, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

CORRECT(rows_with_pitch) {
  char *rows;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 100, 8);
  cudaMemset2D(rows, pitch, 0, 100, 8);
  add_kernel<<<1, 25>>>(reinterpret_cast<int *>(rows), m.out, 25);
  cudaFree(rows);
}

CORRECT(memory_used_again) {
  for (int round = 0; round < 3; ++round) {
    int *buffer;
    cudaMalloc(&buffer, 4096);
    cudaMemset(buffer, 0, 4096);
    add_kernel<<<4, 64>>>(buffer, m.out, 1024);
    cudaFree(buffer);
  }
}

// A kernel's launches have arguments of their own, and its threads no error of the host's.
struct Pair {
  int factor;
  const int *in;
};
__global__ void child_kernel(Pair pair, int *out) {
  out[threadIdx.x] += pair.factor * pair.in[threadIdx.x];
}
__global__ void parent_kernel(const int *in, int *out) {
  if (cudaPeekAtLastError() != cudaSuccess || cudaGetLastError() != cudaSuccess)
    __trap();
  if (threadIdx.x == 0)
    for (int factor = 1; factor < 3; ++factor)
      child_kernel<<<1, 64>>>({factor, in}, out);
}
CORRECT(launches_from_a_kernel) {
  cudaSetDevice(-1);
  parent_kernel<<<1, 32>>>(m.in, m.out);
  cudaGetLastError();
}

struct Node {
  int value;
  const Node *next;
};
__global__ void list_kernel(const Node *node, int *out) {
  int sum = 0;
  for (; node; node = node->next)
    sum += node->value;
  out[threadIdx.x] = sum;
}
CORRECT(linked_list_on_the_device) {
  Node *nodes;
  cudaMalloc(&nodes, 3 * sizeof(Node));
  const Node host[3] = {{1, nodes + 1}, {2, nodes + 2}, {3, nullptr}};
  cudaMemcpy(nodes, host, sizeof host, cudaMemcpyHostToDevice);
  list_kernel<<<1, 32>>>(nodes, m.out);
  cudaFree(nodes);
}

} // namespace
