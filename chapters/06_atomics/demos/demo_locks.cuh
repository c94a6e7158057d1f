// A lock around three words that belong together, and the same without one.
#pragma once

#include "problem.hpp"

#include <cuda/atomic>

namespace demo_locks {

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

struct Record {
  unsigned lock; // 0: free
  unsigned count, sum, largest;
};

// Acquire: what the owner before has written is there. Release: so is what this one has.
__device__ inline void take(unsigned &lock) {
  while (Word(lock).exchange(1u, cuda::memory_order_acquire) != 0u)
    __nanosleep(32);
}
__device__ inline void give_back(unsigned &lock) {
  Word(lock).store(0u, cuda::memory_order_release);
}

__device__ inline void add(Record *record, unsigned count, unsigned sum, unsigned largest) {
  record->count += count;
  record->sum += sum;
  record->largest = max(record->largest, largest);
}

// Each thread takes the lock for its own number.
__global__ void lock_per_thread(const Byte *in, Record *record) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  take(record->lock);
  add(record, 1, in[i], in[i]);
  give_back(record->lock);
}

// The block agrees on one count, sum and largest first: one thread takes the lock for all.
__global__ void lock_per_block(const Byte *in, Record *record) {
  __shared__ unsigned s_sum, s_largest;
  if (threadIdx.x == 0)
    s_sum = s_largest = 0;
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&s_sum, in[i]);
  atomicMax(&s_largest, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    take(record->lock);
    add(record, blockDim.x, s_sum, s_largest);
    give_back(record->lock);
  }
}

// No lock: each word is right in the end, but a reader in between may see a sum without its count.
__global__ void three_atomics(const Byte *in, Record *record) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&record->count, 1u);
  atomicAdd(&record->sum, in[i]);
  atomicMax(&record->largest, in[i]);
}

inline void run(lab::Demo &demo) {
  const unsigned block = 256, grid = demo.timed() ? 16 : 2, n = grid * block;
  std::vector<Byte> h_in(n);
  unsigned sum = 0, largest = 0;
  for (unsigned i = 0; i < n; ++i) {
    h_in[i] = static_cast<Byte>(lab::random_int(demo.seed(), i, 0, 255));
    sum += h_in[i];
    largest = largest < h_in[i] ? h_in[i] : largest;
  }
  lab::DeviceBuffer<Byte> d_in(h_in);
  lab::DeviceBuffer<Record> d_record(1);
  const auto try_way = [&](const char *key, const char *how, auto kernel) {
    const auto work = [&] { kernel<<<grid, block>>>(d_in.data(), d_record.data()); };
    LAB_CHECK(cudaMemset(d_record.data(), 0, sizeof(Record)));
    work();
    LAB_CHECK_LAUNCH();
    const Record record = d_record.at(0);
    demo.expect(lab::compare_value("count", record.count, n));
    demo.expect(lab::compare_value("sum", record.sum, sum));
    demo.expect(lab::compare_value("largest", record.largest, largest));
    if (!demo.timed()) {
      demo.say("%-32s %u numbers, sum %u, largest %u\n", how, record.count, record.sum, largest);
      return;
    }
    const double us = 1000.0 * lab::measure(work).median_ms;
    demo.say("%-32s %8.1f us\n", how, us);
    demo.value(key, us);
  };
  demo.value("n", n);
  try_way("lock_thread", "a lock, taken by each thread", lock_per_thread);
  try_way("lock_block", "a lock, taken once per block", lock_per_block);
  try_way("atomics", "three atomics, no lock", three_atomics);
}

} // namespace demo_locks
