// cuda::atomic and cuda::atomic_ref.
#include "conformance.cuh"

#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/limits>

namespace {

constexpr int blocks = 20, threads = 96, all = blocks * threads;

struct Counters {
  cuda::atomic<int, cuda::thread_scope_device> sum, tickets;
  cuda::atomic<unsigned> bits;
  cuda::atomic<unsigned long long, cuda::thread_scope_device> least, greatest;
  cuda::atomic<float, cuda::thread_scope_device> real;
  cuda::atomic<short, cuda::thread_scope_device> small;
};

__global__ void count(Counters *c, int *returned) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  returned[c->tickets.fetch_add(1, cuda::memory_order_relaxed)] = 1;
  c->sum += 3;
  c->sum -= 1;
  c->sum++;
  --c->sum;
  c->bits |= 1u << (i % 32);
  c->least.fetch_min(i + 7ull);
  c->greatest.fetch_max(i + 7ull);
  c->real.fetch_add(0.5f);
  c->small.fetch_sub(1);
}

TEST_CASE("operations of cuda::atomic") {
  conformance::DeviceArray<Counters> counters(1);
  conformance::DeviceArray<int> returned(std::vector<int>(all, 0));
  REQUIRE(cudaMemset(counters.data(), 0, sizeof(Counters)) == cudaSuccess);
  const unsigned long long high = ~0ull;
  REQUIRE(cudaMemcpy(&counters.data()->least, &high, 8, cudaMemcpyHostToDevice) == cudaSuccess);
  count<<<blocks, threads>>>(counters.data(), returned.data());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  Counters c;
  REQUIRE(cudaMemcpy(static_cast<void *>(&c), counters.data(), sizeof c, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(c.sum.load() == 2 * all);
  CHECK(c.bits == ~0u);
  CHECK(c.least == 7);
  CHECK(c.greatest == all + 6);
  CHECK(c.real.load() == all * 0.5f);
  CHECK(c.small == static_cast<short>(-all));
  for (const int given : returned.to_host())
    REQUIRE(given == 1);
}

TEST_CASE("atomics on the host") {
  cuda::atomic<int> a{5};
  CHECK(a.exchange(6) == 5);
  int expected = 5;
  CHECK_FALSE(a.compare_exchange_strong(expected, 9));
  CHECK(expected == 6);
  CHECK(a.compare_exchange_strong(expected, 9));
  CHECK(a.fetch_and(8) == 9);
  CHECK(a.fetch_xor(3) == 8);
  CHECK(a == 11);
  a = 12;
  CHECK(++a == 13);
  CHECK(a-- == 13);
  CHECK(sizeof(a) == 4);
  cuda::std::atomic<long long> b(1);
  CHECK(b.fetch_add(2) == 1);
}

// A lock: what the holder writes, the next holder reads.
__global__ void locked(cuda::atomic<int, cuda::thread_scope_device> *lock, long long *data) {
  if (threadIdx.x != 0)
    return;
  while (lock->exchange(1, cuda::memory_order_acquire) == 1) {
  }
  data[0] += blockIdx.x;
  data[1] += data[0];
  lock->store(0, cuda::memory_order_release);
}

TEST_CASE("a lock keeps an update in one piece") {
  conformance::DeviceArray<cuda::atomic<int, cuda::thread_scope_device>> lock(1);
  REQUIRE(cudaMemset(lock.data(), 0, lock.bytes()) == cudaSuccess);
  conformance::DeviceArray<long long> data(std::vector<long long>{0, 0});
  locked<<<100, 32>>>(lock.data(), data.data());
  CHECK(data.to_host()[0] == 99 * 100 / 2);
}

__global__ void reference(int *sum, int *in_block) {
  __shared__ int s_sum;
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block>(s_sum).fetch_add(static_cast<int>(threadIdx.x),
                                                                   cuda::std::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) {
    in_block[blockIdx.x] = s_sum;
    cuda::atomic_ref<int, cuda::thread_scope_device> total(*sum);
    total.fetch_add(s_sum);
  }
}

TEST_CASE("atomic references") {
  conformance::DeviceArray<int> sum(std::vector<int>{0}), in_block(blocks);
  reference<<<blocks, threads>>>(sum.data(), in_block.data());
  CHECK(sum.to_host()[0] == blocks * (threads * (threads - 1) / 2));
  for (const int value : in_block.to_host())
    REQUIRE(value == threads * (threads - 1) / 2);
}

__global__ void standard_library(int *out) {
  cuda::std::array<int, 4> a = {1, 2, 3, 4};
  int sum = 0;
  for (const int value : a)
    sum += value;
  out[0] = sum;
  out[1] = cuda::std::numeric_limits<int>::max();
}

TEST_CASE("cuda::std") {
  conformance::DeviceArray<int> out(2);
  standard_library<<<1, 1>>>(out.data());
  CHECK(out.to_host() == std::vector<int>{10, 2147483647});
}

} // namespace
