// Several devices: memory that a kernel may not reach, work that nothing orders, ranks that disagree.
#include <nccl.h>
#include <thread>

#include "two_devices.hpp"
#include <observation/observe.hpp>

namespace {

using namespace hazards;

__global__ void fill(int *out, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, elements)
  out[i] = value; // here
}
__global__ void add(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, elements)
  to[i] += from[i]; // here
}

HAZARD(stores_to_another_device, peer_pointer) {
  const Pair p;
  cudaSetDevice(0);
  fill<<<blocks, threads>>>(p.data[1], 1);
}

HAZARD(loads_from_another_device, peer_pointer) {
  const Pair p;
  cudaSetDevice(0);
  add<<<blocks, threads>>>(p.data[0], p.data[1]);
}

HAZARD(access_was_given_to_the_other_one, peer_pointer) {
  const Pair p;
  cudaSetDevice(0);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaSetDevice(1); // which was given no access to device 0
  add<<<blocks, threads>>>(p.data[1], p.data[0]);
}

HAZARD(access_was_taken_back, peer_pointer) {
  const Pair p;
  cudaSetDevice(0);
  cudaDeviceEnablePeerAccess(1, 0);
  cudaDeviceDisablePeerAccess(1);
  add<<<blocks, threads>>>(p.data[0], p.data[1]);
}

// Peer access does not open a pool.
HAZARD(memory_of_a_pool_that_was_not_opened, peer_pointer) {
  const Pair p;
  p.give_access();
  int *memory;
  cudaSetDevice(1);
  cudaMallocAsync(&memory, all_bytes, p.stream[1]);
  cudaMemsetAsync(memory, 0, all_bytes, p.stream[1]);
  p.wait();
  add<<<blocks, threads>>>(p.data[0], memory); // on device 0
  p.wait();
  cudaFree(memory);
}

__global__ void shifted(int *to, const int *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, elements)
  to[i] = from[i + 1]; // here
}
HAZARD(past_the_end_of_a_peers_memory, out_of_bounds) {
  const Pair p;
  p.give_access();
  cudaSetDevice(0);
  shifted<<<blocks, threads>>>(p.data[0], p.data[1]);
}

HAZARD(peer_copy_waits_for_no_kernel, stream_race) {
  const Pair p;
  cudaSetDevice(0);
  fill<<<blocks, threads, 0, p.stream[0]>>>(p.data[0], 1); // other
  cudaMemcpyPeerAsync(p.data[1], 1, p.data[0], 0, all_bytes, p.stream[1]); // here
}

HAZARD(kernels_of_two_devices_in_no_order, stream_race) {
  const Pair p;
  p.give_access();
  cudaSetDevice(0);
  fill<<<blocks, threads, 0, p.stream[0]>>>(p.data[0], 1); // other
  cudaSetDevice(1);
  add<<<blocks, threads, 0, p.stream[1]>>>(p.data[1], p.data[0]); // here
}

HAZARD(source_of_a_peer_copy_is_overwritten, stream_race) {
  const Pair p;
  cudaSetDevice(0);
  fill<<<blocks, threads, 0, p.stream[0]>>>(p.data[0], 1);
  cudaEventRecord(p.event[0], p.stream[0]);
  cudaStreamWaitEvent(p.stream[1], p.event[0], 0);
  cudaMemcpyPeerAsync(p.data[1], 1, p.data[0], 0, all_bytes, p.stream[1]); // other
  fill<<<blocks, threads, 0, p.stream[0]>>>(p.data[0], 2); // here
}

volatile int seen; // what the host has read

HAZARD(another_device_was_waited_for, host_race) {
  const Pair p;
  cudaMemcpyAsync(p.pinned, p.data[1], all_bytes, cudaMemcpyDeviceToHost, p.stream[1]); // other
  cudaSetDevice(0);
  cudaDeviceSynchronize(); // device 0, which has nothing to do
  seen = p.pinned[0]; // here
}

HAZARD(each_device_has_its_default_stream, stream_race) {
  const Pair p;
  p.give_access();
  cudaSetDevice(0);
  fill<<<blocks, threads>>>(p.data[0], 1); // other
  cudaSetDevice(1); // whose default stream knows nothing of device 0's
  add<<<blocks, threads>>>(p.data[1], p.data[0]); // here
}

// Data and a flag for the other device.
template <bool OfTheSystem> __global__ void tell(int *data, volatile int *flag) {
  data[0] = 42;
  if (OfTheSystem)
    __threadfence_system();
  else
    __threadfence();
  *flag = 1;
}
__global__ void listen(int *result, const int *data, volatile const int *flag) {
  while (*flag == 0) {
  }
  result[0] = data[0];
}
template <bool OfTheSystem> void signal() {
  const Pair p;
  p.give_access();
  int *const data = p.data[1], *const flag = data + 32, *const result = data + 64;
  cudaSetDevice(0);
  tell<OfTheSystem><<<1, 1, 0, p.stream[0]>>>(data, flag); // other
  cudaSetDevice(1);
  listen<<<1, 1, 0, p.stream[1]>>>(result, data, flag); // here
  if (OfTheSystem)
    add<<<1, 32, 0, p.stream[1]>>>(result, data); // knows what the listener knows
}
HAZARD(flag_after_a_fence_of_the_device, stream_race) { signal<false>(); }

HAZARD(all_reduce_waits_for_no_kernel, stream_race) {
  const Pair p;
  cudaSetDevice(1);
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  fill<<<blocks, threads, 0, other>>>(p.data[1], 1); // other
  ncclGroupStart();
  for (int i = 0; i < 2; ++i)
    ncclAllReduce(p.data[i], p.data[i], elements, ncclInt, ncclSum, p.comm[i], p.stream[i]);
  ncclGroupEnd(); // here
  p.wait();
  cudaStreamDestroy(other);
}

HAZARD(ranks_disagree, nccl_mismatch) {
  const Pair p;
  ncclGroupStart();
  for (int i = 0; i < 2; ++i)
    ncclAllReduce(p.data[i], p.data[i], elements - i, ncclInt, ncclSum, p.comm[i], p.stream[i]);
  ncclGroupEnd(); // here
}

HAZARD(collectives_in_a_loop_without_a_group, deadlock) {
  const Pair p;
  for (int i = 0; i < 2; ++i) {
    int *const d = p.data[i];
    if (ncclAllReduce(d, d, elements, ncclInt, ncclSum, p.comm[i], p.stream[i])) // here
      return;
  }
}

// ------------------------------------------------------------------------------- and correct ones

CORRECT(events_order_two_devices) {
  const Pair p;
  p.give_access();
  for (int round = 0; round < 3; ++round) {
    cudaSetDevice(0);
    fill<<<blocks, threads, 0, p.stream[0]>>>(p.data[0], round);
    cudaEventRecord(p.event[0], p.stream[0]);
    cudaStreamWaitEvent(p.stream[1], p.event[0], 0);
    cudaSetDevice(1);
    add<<<blocks, threads, 0, p.stream[1]>>>(p.data[1], p.data[0]);
    cudaEventRecord(p.event[1], p.stream[1]);
    cudaStreamWaitEvent(p.stream[0], p.event[1], 0);
  }
}

CORRECT(copies_in_default_streams_wait_for_both) {
  const Pair p;
  cudaSetDevice(0);
  fill<<<blocks, threads>>>(p.data[0], 1);
  cudaSetDevice(1);
  fill<<<blocks, threads>>>(p.data[1], 2);
  cudaMemcpyPeer(p.data[1], 1, p.data[0], 0, all_bytes);
  add<<<blocks, threads>>>(p.data[1], p.data[1]);
  cudaSetDevice(0);
  fill<<<blocks, threads>>>(p.data[0], 3);
}

CORRECT(flag_after_a_fence_of_the_system) { signal<true>(); }

__global__ void tell_host(int *data, volatile int *flag) {
  data[0] = 42;
  __threadfence_system();
  *flag = 1;
}
CORRECT(flag_for_the_host) {
  const Pair p;
  p.pinned[1] = 0;
  tell_host<<<1, 1, 0, p.stream[0]>>>(p.pinned, p.pinned + 1);
  while (*static_cast<volatile int *>(p.pinned + 1) == 0) {
  }
  seen = p.pinned[0];
}

__device__ int counter;
__global__ void count() {
  atomicAdd(&counter, 1);
  counter += 1;
}

CORRECT(devices_have_variables_of_their_own) {
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    count<<<1, 1>>>(); // each device its own
  }
  for (int device = 0; device < 2; ++device) {
    cudaSetDevice(device);
    int value = 0;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
  }
}

CORRECT(collectives_stand_in_the_order_of_streams) {
  const Pair p;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      fill<<<blocks, threads, 0, p.stream[i]>>>(p.data[i], i);
    }
    ncclGroupStart();
    for (int i = 0; i < 2; ++i)
      ncclAllReduce(p.data[i], p.data[i], elements, ncclInt, ncclSum, p.comm[i], p.stream[i]);
    ncclGroupEnd();
    for (int i = 0; i < 2; ++i) {
      cudaSetDevice(i);
      add<<<blocks, threads, 0, p.stream[i]>>>(p.data[i], p.data[i]);
    }
  }
}

CORRECT(a_thread_for_each_device) {
  const Pair p;
  std::thread workers[2];
  for (int i = 0; i < 2; ++i)
    workers[i] = std::thread([&p, i] {
      cudaSetDevice(i);
      fill<<<blocks, threads, 0, p.stream[i]>>>(p.data[i], i);
      ncclAllReduce(p.data[i], p.data[i], elements, ncclInt, ncclSum, p.comm[i], p.stream[i]);
      cudaStreamSynchronize(p.stream[i]);
    });
  for (std::thread &worker : workers)
    worker.join();
}

CORRECT(pinned_memory_is_for_all_devices) {
  const Pair p;
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    add<<<blocks, threads, 0, p.stream[i]>>>(p.data[i], p.pinned); // pinned: for all devices
  }
  p.wait();
  for (int i = 0; i < 2; ++i)
    cudaMemcpyAsync(p.pinned + i, p.data[i], sizeof(int), cudaMemcpyDeviceToHost, p.stream[i]);
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    cudaDeviceSynchronize();
  }
  seen = p.pinned[0] + p.pinned[1];
}

} // namespace
