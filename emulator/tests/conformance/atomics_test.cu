// Atomics under contention from many blocks, and what each returns.
#include "conformance.cuh"

#include <algorithm>
#include <cstdint>

namespace {

using conformance::DeviceArray;

constexpr int blocks = 64, threads = 128, all = blocks * threads;

__device__ int number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

// Long enough that the blocks meet: an addition that is not atomic loses some.
constexpr int rounds = 200;

template <class T> __global__ void add_ones(T *sum, T *sum_block, T *sum_system) {
  for (int i = 0; i < rounds; ++i) {
    atomicAdd(sum, static_cast<T>(1));
    if (blockIdx.x == 0) // block scope is for one block's threads
      atomicAdd_block(sum_block, static_cast<T>(1));
    atomicAdd_system(sum_system, static_cast<T>(1));
  }
}

template <class T> void check_add() {
  DeviceArray<T> sums(std::vector<T>(3, T{0}));
  add_ones<<<blocks, threads>>>(sums.data(), sums.data() + 1, sums.data() + 2);
  CHECK(sums.to_host() == std::vector<T>{T(all * rounds), T(threads * rounds), T(all * rounds)});
}

TEST_CASE("atomicAdd loses nothing") {
  check_add<int>();
  check_add<unsigned>();
  check_add<unsigned long long>();
  check_add<float>(); // all partial sums are exact
  check_add<double>();
}

template <class T> __global__ void extremes(T *least, T *most) {
  const T value = static_cast<T>(number()) - static_cast<T>(all / 2);
  atomicMin(least, value);
  atomicMax(most, value);
}

template <class T> void check_extremes(T start) {
  DeviceArray<T> values(std::vector<T>(2, start));
  extremes<<<blocks, threads>>>(values.data(), values.data() + 1);
  std::vector<T> expected(all);
  for (int i = 0; i < all; ++i)
    expected[i] = static_cast<T>(i) - static_cast<T>(all / 2);
  const auto [least, most] = std::minmax_element(expected.begin(), expected.end());
  CHECK(values.to_host() == std::vector<T>{*least, *most});
}

TEST_CASE("atomicMin and atomicMax compare with their type's sign") {
  check_extremes<int>(0);
  check_extremes<long long>(0);
  check_extremes<unsigned>(static_cast<unsigned>(-5)); // the values wrap around
  check_extremes<unsigned long long>(static_cast<unsigned long long>(-5));
}

__global__ void tickets(unsigned *counter, unsigned *taken) {
  taken[atomicAdd(counter, 1u)] = 1; // each old value is given out once
}

TEST_CASE("old values are given out once each") {
  DeviceArray<unsigned> counter(std::vector<unsigned>{0});
  DeviceArray<unsigned> taken(std::vector<unsigned>(all, 0u));
  tickets<<<blocks, threads>>>(counter.data(), taken.data());
  const std::vector<unsigned> result = taken.to_host();
  CHECK(std::count(result.begin(), result.end(), 1u) == all);
}

__global__ void subtract_and_wrap(int *down, unsigned *up_wrapped, unsigned *down_wrapped) {
  atomicSub(down, 2);
  atomicInc(up_wrapped, 6); // 0 1 … 6 0 …
  atomicDec(down_wrapped, 6); // 6 5 … 0 6 …
}

TEST_CASE("atomicSub, atomicInc and atomicDec") {
  DeviceArray<int> down(std::vector<int>{0});
  DeviceArray<unsigned> wrapped(std::vector<unsigned>{0, 6});
  subtract_and_wrap<<<blocks, threads>>>(down.data(), wrapped.data(), wrapped.data() + 1);
  CHECK(down.to_host()[0] == -2 * all);
  CHECK(wrapped.to_host()[0] == all % 7);
  CHECK(wrapped.to_host()[1] == 6 - all % 7);
}

__global__ void wrap_edges(unsigned *values, unsigned *old) {
  old[0] = atomicInc(&values[0], 5); // above the last: starts again at 0
  old[1] = atomicDec(&values[1], 5); // above the last: goes to the last
  old[2] = atomicDec(&values[2], 5); // 0: goes to the last
}

TEST_CASE("atomicInc and atomicDec beyond their last value") {
  DeviceArray<unsigned> values(std::vector<unsigned>{9, 9, 0}), old(3);
  wrap_edges<<<1, 1>>>(values.data(), old.data());
  CHECK(values.to_host() == std::vector<unsigned>{0, 5, 5});
  CHECK(old.to_host() == std::vector<unsigned>{9, 9, 0});
}

template <class T> __global__ void bits(T *values) {
  const T bit = static_cast<T>(1) << number() % (8 * sizeof(T));
  atomicOr(&values[0], bit);
  atomicAnd(&values[1], static_cast<T>(~bit));
  atomicXor(&values[2], bit);
}

template <class T> void check_bits() {
  DeviceArray<T> values(std::vector<T>{T(0), T(-1), T(0)});
  bits<<<blocks, threads>>>(values.data());
  // Every bit is toggled an even number of times.
  CHECK(values.to_host() == std::vector<T>{T(-1), T(0), T(0)});
}

TEST_CASE("atomicOr, atomicAnd and atomicXor") {
  check_bits<int>();
  check_bits<unsigned>();
  check_bits<unsigned long long>();
}

__global__ void exchange(float *place, float *old) {
  old[number()] = atomicExch(place, static_cast<float>(number() + 1));
}

TEST_CASE("atomicExch hands every value on") {
  DeviceArray<float> place(std::vector<float>{0}), old(all);
  exchange<<<blocks, threads>>>(place.data(), old.data());
  std::vector<float> seen = old.to_host();
  seen.push_back(place.to_host()[0]);
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i <= all; ++i)
    REQUIRE(seen[i] == static_cast<float>(i));
}

// The loop that the programming guide shows for an atomic that is not there.
template <class T> __global__ void multiply_by_cas(T *product) {
  T old = *product, assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, static_cast<T>(assumed * 3));
  } while (assumed != old);
}

template <class T> void check_cas() {
  DeviceArray<T> product(std::vector<T>{1});
  multiply_by_cas<<<blocks, threads>>>(product.data());
  T expected = 1;
  for (int i = 0; i < all; ++i)
    expected = static_cast<T>(expected * 3u);
  CHECK(product.to_host()[0] == expected);
}

TEST_CASE("atomicCAS loops lose nothing") {
  check_cas<unsigned>();
  check_cas<unsigned long long>();
  check_cas<unsigned short>();
}

__global__ void locked_count(int *lock, volatile int *count) {
  // One thread of a warp at a time asks for the lock, so no lane waits for its own warp.
  for (int lane = 0; lane < 32; ++lane)
    if (static_cast<int>(threadIdx.x % 32) == lane) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
}

TEST_CASE("a lock and fences make an ordinary counter exact") {
  DeviceArray<int> lock(std::vector<int>{0}), count(std::vector<int>{0});
  locked_count<<<blocks, 64>>>(lock.data(), count.data());
  CHECK(count.to_host()[0] == blocks * 64);
}

__global__ void shared_histogram(const unsigned char *data, int n, unsigned *histogram) {
  __shared__ unsigned s_counts[16];
  if (threadIdx.x < 16)
    s_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = number(); i < n; i += static_cast<int>(gridDim.x * blockDim.x))
    atomicAdd_block(&s_counts[data[i] % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&histogram[threadIdx.x], s_counts[threadIdx.x]);
}

TEST_CASE("atomics in shared memory") {
  constexpr int n = 100003;
  std::vector<unsigned char> data(n);
  conformance::Random random(1);
  std::vector<unsigned> expected(16, 0u);
  for (unsigned char &value : data) {
    value = static_cast<unsigned char>(random.bits());
    ++expected[value % 16];
  }
  DeviceArray<unsigned char> d_data(data);
  DeviceArray<unsigned> histogram(std::vector<unsigned>(16, 0u));
  shared_histogram<<<8, 256>>>(d_data.data(), n, histogram.data());
  CHECK(histogram.to_host() == expected);
}

__global__ void add_to_nan(float *places, float *old) {
  old[0] = atomicAdd(&places[0], 1.0f);
  old[1] = atomicExch(&places[1], 0.0f);
}

TEST_CASE("a NaN in memory does not hang atomicAdd") {
  DeviceArray<float> places(std::vector<float>{__builtin_nanf(""), 2}), old(2);
  add_to_nan<<<1, 1>>>(places.data(), old.data());
  CHECK(places.to_host()[0] != places.to_host()[0]);
  CHECK(old.to_host()[1] == 2);
}

} // namespace
