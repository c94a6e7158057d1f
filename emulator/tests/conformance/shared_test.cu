// __shared__ variables where the language lets them be used without a capture: in lambdas.
#include "conformance.cuh"

#include <numeric>

namespace {

using conformance::DeviceArray;

constexpr int n = 64;

__global__ void reverse_by_lambdas(const int *in, int *out) {
  __shared__ int s_values[n];
  __shared__ int s_offset, s_sums[2][n];
  const int i = static_cast<int>(threadIdx.x); // [0, n)
  // Nothing captured, a copy of what is captured, a reference: one variable all the same.
  const auto put = [](int place, int value) { s_values[place] = value; };
  const auto get = [=](int place) { return s_values[place] + s_offset; };
  const auto count = [&] { return static_cast<int>(sizeof s_values / sizeof s_values[0]); };
  if (i == 0)
    [] { s_offset = 1000; }();
  put(i, in[i]);
  __syncthreads();
  const auto nested = [](int place) {
    s_sums[0][place] = [](int at) -> int { return s_values[at] * 2; }(place);
  };
  nested(i);
  __syncthreads();
  out[i] = get(count() - 1 - i) + s_sums[0][i];
}

template <class T> __global__ void rotate_by_lambda(T *values) {
  extern __shared__ char s_bytes[];
  T *const s_values = reinterpret_cast<T *>(s_bytes);
  const int i = static_cast<int>(threadIdx.x);
  s_values[i] = values[i];
  __syncthreads();
  const auto at = [](int place) { return reinterpret_cast<T *>(s_bytes)[place % n]; };
  values[i] = at(i + 1);
}

// Names of a lambda's own hide those outside.
__global__ void hide(int *out) {
  __shared__ int s_hidden[2];
  s_hidden[threadIdx.x] = 5;
  __syncthreads();
  const auto parameter = [](int s_hidden) { return s_hidden; };
  const auto local = [](int value) {
    const int s_hidden = value;
    return s_hidden;
  };
  const auto inner = [] {
    __shared__ int s_hidden;
    s_hidden = 7;
    return [] { return s_hidden; }();
  };
  out[threadIdx.x] = parameter(1) + local(2) * 10 + inner() * 100 + s_hidden[1] * 1000;
}

TEST_CASE("lambdas use shared variables without capturing them") {
  std::vector<int> in(n);
  std::iota(in.begin(), in.end(), 1);
  const DeviceArray<int> d_in(in), d_out(n);
  reverse_by_lambdas<<<1, n>>>(d_in.data(), d_out.data());
  const std::vector<int> out = d_out.to_host();
  for (int i = 0; i < n; ++i)
    CHECK(out[i] == in[n - 1 - i] + 1000 + 2 * in[i]);
}

TEST_CASE("lambdas use dynamic shared memory without capturing it") {
  std::vector<double> in(n);
  std::iota(in.begin(), in.end(), 0.5);
  const DeviceArray<double> d_values(in);
  rotate_by_lambda<<<1, n, n * sizeof(double)>>>(d_values.data());
  const std::vector<double> out = d_values.to_host();
  for (int i = 0; i < n; ++i)
    CHECK(out[i] == in[(i + 1) % n]);
}

TEST_CASE("a lambda's own names hide shared variables") {
  const DeviceArray<int> d_out(2);
  hide<<<1, 2>>>(d_out.data());
  CHECK(d_out.to_host() == std::vector<int>(2, 1 + 20 + 700 + 5000));
}

} // namespace
