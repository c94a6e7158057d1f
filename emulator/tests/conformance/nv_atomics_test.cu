// Atomics with an order and a scope, as CUDA 12.8 names them.
#include "conformance.cuh"

#if CUDART_VERSION >= 12080

namespace {

using conformance::DeviceArray;

__global__ void all_of_them(int *values, unsigned long long *wide, float *real, int *olds) {
  __nv_atomic_fetch_add(&values[0], 2, __NV_ATOMIC_RELAXED);
  __nv_atomic_sub(&values[1], 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_or(&values[2], 1 << threadIdx.x % 8, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(&values[3], ~(1 << threadIdx.x % 8), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_xor(&values[4], 3, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_min(&values[5], -static_cast<int>(threadIdx.x), __NV_ATOMIC_RELAXED);
  __nv_atomic_max(wide, 1ull << (threadIdx.x % 40), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_add(real, 0.5f, __NV_ATOMIC_RELAXED);
  olds[threadIdx.x] = __nv_atomic_exchange_n(
      &values[6], static_cast<int>(threadIdx.x), __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  int expected = 100;
  if (__nv_atomic_compare_exchange_n(
          &values[7], &expected, 101, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED))
    __nv_atomic_store_n(&values[8], expected, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  else if (expected != 101)
    __nv_atomic_store_n(&values[8], -1, __NV_ATOMIC_RELEASE);
}

// Every thread but the first waits for what the first one publishes.
__global__ void publish(int *data, int *flag, int *out) {
  if (threadIdx.x == 0) {
    *data = 42;
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  }
  while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
  }
  out[threadIdx.x] = *data;
}

TEST_CASE("atomics with an order and a scope") {
  const int n = 64;
  const DeviceArray<int> values(std::vector<int>{0, 0, 0, 255, 0, 0, -1, 100, 0}), olds(n);
  const DeviceArray<unsigned long long> wide(std::vector<unsigned long long>{5});
  const DeviceArray<float> real(std::vector<float>{1});
  all_of_them<<<1, n>>>(values.data(), wide.data(), real.data(), olds.data());
  std::vector<int> result = values.to_host();
  // Each of 0 … n-1 and the first value, -1, but for one: that one is still there.
  long long sum = result[6];
  for (const int old : olds.to_host())
    sum += old;
  CHECK(sum == n * (n - 1) / 2 - 1);
  result[6] = 0;
  CHECK(result == std::vector<int>{2 * n, -n, 255, 0, 0, 1 - n, 0, 101, 100});
  CHECK(wide.to_host()[0] == 1ull << 39);
  CHECK(real.to_host()[0] == 1 + n / 2);
}

TEST_CASE("a release and an acquire hand over data") {
  const int n = 64;
  const DeviceArray<int> data(std::vector<int>{0}), flag(std::vector<int>{0}), out(n);
  publish<<<1, n>>>(data.data(), flag.data(), out.data());
  CHECK(out.to_host() == std::vector<int>(n, 42));
}

} // namespace

#endif
