// What the conformance tests share: device arrays, and calling a device function for many values.
#pragma once

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace conformance {

/// Checks a runtime call: its result, and that the same is then the last error, once.
#define CHECK_CALL(call, expected) \
  do { \
    CHECK((call) == (expected)); \
    CHECK(cudaGetLastError() == (expected)); \
    CHECK(cudaGetLastError() == cudaSuccess); \
  } while (0)

#define CHECK_OK(call) CHECK_CALL(call, cudaSuccess)

/// An array in device memory that frees itself.
template <class T> class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count_(count) {
    REQUIRE(cudaMalloc(&data_, count * sizeof(T)) == cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) {
    REQUIRE(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T *data() const { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }
  /// What it holds once all before has been done without an error.
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    REQUIRE(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }

private:
  T *data_ = nullptr;
  size_t count_;
};

template <class Function, class Result, class... Values>
__global__ void map_kernel(Function function, Result *results, int count, const Values *...values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count)
  if (i < count)
    results[i] = function(values[i]...);
}

/// function(values[i]...) for each i, computed by a kernel.
/// \param function  a struct with a __device__ operator()
template <class Result, class Function, class First, class... Rest>
std::vector<Result>
map(Function function, const std::vector<First> &first, const std::vector<Rest> &...rest) {
  DeviceArray<Result> results(first.size());
  const auto launch = [&](const auto &...arrays) {
    const int count = static_cast<int>(first.size());
    map_kernel<<<(count + 255) / 256, 256>>>(function, results.data(), count, arrays.data()...);
    REQUIRE(cudaGetLastError() == cudaSuccess);
  };
  launch(DeviceArray<First>(first), DeviceArray<Rest>(rest)...);
  return results.to_host();
}

/// A struct with a __device__ operator() of one, two or three arguments.
#define DEVICE_FUNCTION_1(NAME, ...) \
  struct NAME { \
    template <class X> __device__ auto operator()(X x) const { return __VA_ARGS__; } \
  };
#define DEVICE_FUNCTION_2(NAME, ...) \
  struct NAME { \
    template <class X, class Y> __device__ auto operator()(X x, Y y) const { return __VA_ARGS__; } \
  };
#define DEVICE_FUNCTION_3(NAME, ...) \
  struct NAME { \
    template <class X, class Y, class Z> __device__ auto operator()(X x, Y y, Z z) const { \
      return __VA_ARGS__; \
    } \
  };

/// Random bits: every run draws the same.
class Random {
public:
  explicit Random(unsigned long long seed) : state_(seed) {}
  /// splitmix64
  unsigned long long bits() {
    unsigned long long z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  /// In [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }

private:
  unsigned long long state_;
};

/// `count` numbers of type T in [low, high).
template <class T>
std::vector<T> uniform(size_t count, double low, double high, unsigned long long seed = 20240229) {
  Random random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(random.uniform(low, high));
  return values;
}

} // namespace conformance
