// Variables of the device: what the host finds under their names is its own, a shadow that no kernel sees.
#include "conformance.cuh"

#include <numeric>

// nvcc sees most of this and warns.
#ifdef __NVCC__
#pragma nv_diag_suppress 20091, 20092, 20094
#endif

namespace {

using conformance::DeviceArray;

__device__ int counter = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int zeros[3];
static __device__ int of_this_file = 1;
static inline __device__ int for_all_files = 2;
__device__ __constant__ int both = 3;
namespace inner {
__device__ int in_namespace = 4;
}
template <class T> __device__ T of_each_type = T(6);
template <> __device__ short of_each_type<short> = 7;
template <class T, int n = 2> static __device__ T arrays[n] = {1, 2};
constexpr int many = 1 << 20;
__device__ int large[many];
__device__ int large_with_values[100000] = {1, 2, 3};
__device__ const int fixed[3] = {7, 8, 9};
__constant__ constexpr int fixed_too = 10;
__managed__ int shared_by_all = 11;
__managed__ int shared_array[4] = {1, 2, 3, 4};

__global__ void sum_of_small(float *sums) {
  sums[0] = static_cast<float>(counter + zeros[0] + zeros[1] + zeros[2]);
  sums[1] = table[0] + table[1] + table[2] + table[3];
  sums[2] = static_cast<float>(of_this_file + for_all_files + both + inner::in_namespace +
                               of_each_type<int> + of_each_type<short> + arrays<char>[1] +
                               arrays<int, 3>[2]);
  sums[3] = static_cast<float>(fixed[0] + fixed[1] + fixed[2] + fixed_too);
}

std::vector<float> sums() {
  DeviceArray<float> d_sums(4);
  sum_of_small<<<1, 1>>>(d_sums.data());
  return d_sums.to_host();
}

__host__ __device__ void write_small(int value) {
  counter = zeros[0] = zeros[1] = zeros[2] = value;
#ifndef __CUDA_ARCH__
  table[0] = table[3] = static_cast<float>(value);
#endif
  of_this_file = for_all_files = inner::in_namespace = value;
  of_each_type<int> = of_each_type<short> = arrays<char>[1] = arrays<int, 3>[2] = value;
}

__global__ void write_as_kernel(int value) { write_small(value); }

TEST_CASE("what the host writes by name reaches no kernel, and what it reads is its own") {
  const std::vector<float> initial = {5, 10, 25, 34};
  CHECK(sums() == initial);
  CHECK(counter == 0); // but what is const, the host's begins with zeros
  CHECK(table[2] == 0);
  CHECK(fixed[1] == 8);
  CHECK(fixed_too == 10);
  write_small(100);
  CHECK(sums() == initial);
  CHECK(counter == 100);
  CHECK(table[3] == 100);
  write_as_kernel<<<1, 1>>>(20);
  CHECK(sums() == std::vector<float>{80, 10, 143, 34});
  CHECK(counter == 100);
  CHECK(zeros[2] == 100);
  CHECK(both == 0);
  CHECK(of_each_type<int> == 100);
  CHECK(of_each_type<short> == 100);
  CHECK(arrays<int, 3>[2] == 100);
  CHECK(for_all_files == 100);

  int value = 0;
  CHECK_OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  CHECK(value == 20);
  value = 30;
  CHECK_OK(cudaMemcpyToSymbol(inner::in_namespace, &value, sizeof value));
  CHECK(inner::in_namespace == 100);
  CHECK(sums()[2] == 153);
  CHECK_OK(cudaMemcpyToSymbol(table, table, sizeof table)); // from the host's
  CHECK(sums()[1] == 200);
}

__global__ void add_to_large(int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, many)
  large[i] += i + by;
  if (i < 100000)
    large_with_values[i] += by;
}

TEST_CASE("large variables are two, too") {
  for (int i = 0; i < many; ++i)
    large[i] = -i;
  large_with_values[0] = large_with_values[99999] = -1;
  for (int launch = 1; launch <= 3; ++launch) {
    add_to_large<<<many / 256, 256>>>(launch);
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < many; i += 1000)
      REQUIRE(large[i] == -i);
    large[many - 1] = -launch;
    CHECK(large_with_values[0] == -1);
    CHECK(large_with_values[1] == 0);
    CHECK(large_with_values[99999] == -1);
  }
  std::vector<int> got(many), expected(many);
  for (int i = 0; i < many; ++i)
    expected[i] = 3 * i + 6;
  CHECK_OK(cudaMemcpyFromSymbol(got.data(), large, sizeof large));
  CHECK(got == expected);
  CHECK(large[many - 1] == -3);

  std::vector<int> smaller(100000, 6);
  smaller[0] = 7, smaller[1] = 8, smaller[2] = 9;
  got.resize(100000);
  CHECK_OK(cudaMemcpyFromSymbol(got.data(), large_with_values, sizeof large_with_values));
  CHECK(got == smaller);

  // Across what lies in pages of its own and what does not.
  std::iota(got.begin(), got.end(), 0);
  CHECK_OK(cudaMemcpyToSymbol(large, got.data(), 30000 * sizeof(int), 4));
  add_to_large<<<many / 256, 256>>>(0);
  std::vector<int> back(30000);
  CHECK_OK(cudaMemcpyFromSymbol(back.data(), large, 30000 * sizeof(int), 4));
  for (int i = 0; i < 30000; ++i)
    REQUIRE(back[i] == 2 * i + 1);
}

__device__ int addressed[4];
__device__ int *inside;
__global__ void both_ways(int *by_address, int *result) {
  addressed[1] = 1;
  result[0] = by_address[1];
  by_address[1] = 2;
  result[1] = addressed[1];
  result[2] = by_address == addressed && &addressed[1] == by_address + 1;
  inside = addressed + 1;
  *inside = 3;
  result[3] = by_address[1];
}

TEST_CASE("an address that was asked for is the device's") {
  int *address = nullptr;
  CHECK_OK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), addressed));
  DeviceArray<int> result(4);
  both_ways<<<1, 1>>>(address, result.data());
  CHECK(result.to_host() == std::vector<int>{1, 2, 1, 3});
  int values[4] = {5, 6, 7, 8}, back[4];
  CHECK_OK(cudaMemcpy(address, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpyFromSymbol(back, addressed, sizeof back));
  CHECK(back[3] == 8);
  CHECK_OK(cudaMemset(address, 0, 8));
  CHECK_OK(cudaMemcpy(back, address, sizeof back, cudaMemcpyDefault));
  CHECK(back[1] == 0);
  CHECK(back[2] == 7);
}

__device__ int not_addressed[2] = {1, 2};
__global__ void read_not_addressed(int *out) { *out = not_addressed[0]; }

TEST_CASE("the host's &variable is its own memory, for copies, too") {
  const int values[2] = {3, 4};
  int back[2] = {};
  int *const address = const_cast<int *>(static_cast<volatile int *>(not_addressed));
  CHECK_CALL(cudaMemcpy(address, values, sizeof values, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpy(back, address, sizeof back, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemset(address, 0, sizeof values), cudaErrorInvalidValue);
  CHECK_OK(cudaMemcpyToSymbol(not_addressed, values, sizeof values));
  CHECK_OK(cudaMemcpy(back, address, sizeof back, cudaMemcpyHostToHost));
  CHECK(back[1] == 0);
  DeviceArray<int> copy(2), first(1);
  CHECK_OK(cudaMemcpy(copy.data(), address, sizeof values, cudaMemcpyHostToDevice));
  CHECK(copy.to_host() == std::vector<int>{0, 0});
  CHECK_OK(cudaMemcpy(address, copy.data(), 4, cudaMemcpyDefault));
  read_not_addressed<<<1, 1>>>(first.data());
  CHECK(first.to_host()[0] == 3);
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, address));
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
}

__global__ void add_one() {
  ++shared_by_all;
  shared_array[3] += shared_by_all;
}
__global__ void read_managed(const int *from, int *to) { *to = from[1]; }

TEST_CASE("a managed variable is one for all") {
  shared_by_all = 20;
  shared_array[3] = 0;
  add_one<<<1, 1>>>();
  CHECK_OK(cudaDeviceSynchronize());
  CHECK(shared_by_all == 21);
  CHECK(shared_array[3] == 21);
  DeviceArray<int> first(1);
  read_managed<<<1, 1>>>(shared_array, first.data());
  CHECK(first.to_host()[0] == 2);
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, shared_array));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CHECK(attributes.devicePointer == shared_array);
  int values[4] = {5, 6, 7, 8};
  CHECK_OK(cudaMemcpy(shared_array, values, sizeof values, cudaMemcpyHostToDevice));
  CHECK(shared_array[2] == 7);
  CHECK_OK(cudaMemcpyToSymbol(shared_by_all, values, sizeof(int)));
  CHECK(shared_by_all == 5);
}

} // namespace
