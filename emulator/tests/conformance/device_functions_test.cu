// Hinted loads and stores, clocks, and the headers that programs include by name.
#include "conformance.cuh"

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <driver_types.h>
#include <math_constants.h>
#include <vector_functions.h>
#include <vector_types.h>

#include <cmath>
#include <cstring>

namespace {

using conformance::DeviceArray;

template <class T> __global__ void copy_with_hints(const T *from, T *to) {
  __stwb(&to[0], __ldg(&from[0]));
  __stcg(&to[1], __ldca(&from[1]));
  __stcs(&to[2], __ldcg(&from[2]));
  __stwt(&to[3], __ldcs(&from[3]));
  to[4] = __ldlu(&from[4]);
  to[5] = __ldcv(&from[5]);
}

template <class T> void check_hints() {
  std::vector<T> from(6);
  for (size_t i = 0; i < from.size() * sizeof(T); ++i)
    reinterpret_cast<unsigned char *>(from.data())[i] = static_cast<unsigned char>(i + 1);
  const DeviceArray<T> source(from);
  const DeviceArray<T> target(from.size());
  copy_with_hints<<<1, 1>>>(source.data(), target.data());
  const std::vector<T> to = target.to_host();
  CHECK(std::memcmp(to.data(), from.data(), from.size() * sizeof(T)) == 0);
}

TEST_CASE("loads and stores with a cache hint move the values") {
  check_hints<char>();
  check_hints<unsigned char>();
  check_hints<short>();
  check_hints<int>();
  check_hints<unsigned long>();
  check_hints<long long>();
  check_hints<float>();
  check_hints<double>();
  check_hints<char4>();
  check_hints<ushort2>();
  check_hints<int2>();
  check_hints<uint4>();
  check_hints<longlong2>();
  check_hints<float2>();
  check_hints<float4>();
  check_hints<double2>();
}

__global__ void read_clocks(long long *times, float *sink) {
  times[0] = clock64();
  times[1] = clock();
  float sum = 0;
  for (int i = 0; i < 20000; ++i)
    sum += sinf(static_cast<float>(i));
  *sink = sum;
  times[2] = clock();
  __nanosleep(100);
  times[3] = clock64();
}

TEST_CASE("the device's clocks run") {
  const DeviceArray<long long> times(4);
  const DeviceArray<float> sink(1);
  read_clocks<<<1, 1>>>(times.data(), sink.data());
  const std::vector<long long> t = times.to_host();
  CHECK(t[3] - t[0] > 1000); // cycles
  // Both clocks count the same: the inner span lies within the outer one.
  CHECK(t[2] - t[1] > 1000);
  CHECK(t[2] - t[1] <= t[3] - t[0]);
}

__global__ void publish(int *data, int *flag, int *seen) {
  if (blockIdx.x == 0) {
    *data = 42;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    if (atomicAdd(flag, 0) == 1) {
      __threadfence();
      *seen = *static_cast<volatile int *>(data);
    } else
      *seen = 42; // too early to see anything
  }
}

TEST_CASE("what is written before a fence and a flag is seen after them") {
  for (int round = 0; round < 100; ++round) {
    const DeviceArray<int> words(std::vector<int>{0, 0, 0});
    publish<<<2, 1>>>(words.data(), words.data() + 1, words.data() + 2);
    REQUIRE(words.to_host()[2] == 42);
  }
}

TEST_CASE("constants have their values") {
  CHECK(CUDART_PI == std::acos(-1.0));
  CHECK(CUDART_PI_F == static_cast<float>(std::acos(-1.0)));
  CHECK(CUDART_L2E_F == static_cast<float>(std::log2(std::exp(1.0))));
  CHECK(CUDART_LN2 == std::log(2.0));
  CHECK(CUDART_SQRT_HALF_F == std::sqrt(0.5f));
  CHECK(CUDART_TWO_TO_M1022 == std::ldexp(1.0, -1022));
  CHECK(CUDA_VERSION == CUDART_VERSION);
  CHECK_OK(cudaProfilerStart());
  CHECK_OK(cudaProfilerStop());
}

struct Constants {
  __device__ bool operator()(float one) const {
    return CUDART_INF_F > 3e38f * one && CUDART_NAN_F != CUDART_NAN_F && CUDART_INF > 1e308 &&
           CUDART_NAN != CUDART_NAN;
  }
};

TEST_CASE("infinities and NaNs among the constants") {
  CHECK(conformance::map<unsigned char>(Constants{}, std::vector<float>{1.0f})[0] == 1);
}

} // namespace
