// Names that host and device both have: `__device__`, `__constant__` and `__managed__` variables.
#include <cuda_runtime.h>

#include <cstring>

#include "hazards.hpp"

namespace {

__device__ int counter;
__device__ int squares[64];
__constant__ float coefficients[4] = {1, 2, 3, 4};
__constant__ const int fixed[2] = {1, 2};
__managed__ int managed[64];
__device__ int passed[64];

__global__ void count_kernel(int *out) {
  atomicAdd(&counter, 1);
  squares[threadIdx.x] = threadIdx.x * threadIdx.x;
  out[threadIdx.x] = static_cast<int>(coefficients[threadIdx.x % 4]);
}
__global__ void copy_kernel(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

HAZARD(host_writes_a_table, shadow_used) {
  for (int i = 0; i < 4; ++i)
    coefficients[i] = 2.0f * static_cast<float>(i); // here
  count_kernel<<<1, 64>>>(m.out);
}

HAZARD(host_writes_a_counter, shadow_used) {
  counter = 7; // here
  count_kernel<<<1, 64>>>(m.out);
}

HAZARD(host_reads_a_counter, shadow_used) {
  count_kernel<<<1, 64>>>(m.out);
  cudaDeviceSynchronize();
  if (counter == 64) // here
    cudaDeviceSynchronize();
}

HAZARD(host_reads_an_array, shadow_used) {
  count_kernel<<<1, 64>>>(m.out);
  cudaDeviceSynchronize();
  int host[64];
  std::memcpy(host, squares, sizeof host); // here
  cudaMemcpy(m.in, host, sizeof host, cudaMemcpyHostToDevice);
}

HAZARD(address_for_a_copy, shadow_used) {
  const int zero = 0;
  cudaMemcpy(&counter, &zero, sizeof zero, cudaMemcpyHostToDevice); // here
  cudaGetLastError();
}

HAZARD(address_for_a_copy_back, shadow_used) {
  int value = 0;
  count_kernel<<<1, 64>>>(m.out);
  cudaMemcpy(&value, &counter, sizeof value, cudaMemcpyDeviceToHost); // here
  cudaGetLastError();
}

HAZARD(address_for_a_memset, shadow_used) {
  cudaMemset(squares, 0, sizeof squares); // here
  cudaGetLastError();
}

HAZARD(address_for_a_kernel, shadow_used) {
  copy_kernel<<<1, 64>>>(passed, m.out); // here
}

HAZARD(host_writes_beside_an_address, shadow_used) {
  int *address = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address), counter);
  cudaMemset(address, 0, sizeof counter);
  counter = 7; // here
  count_kernel<<<1, 64>>>(m.out);
}

CORRECT(symbols_are_named_to_calls) {
  const float table[4] = {4, 3, 2, 1};
  const int zero = 0;
  cudaMemcpyToSymbol(coefficients, table, sizeof table);
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
  count_kernel<<<1, 64>>>(m.out);
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  int *address = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void **>(&address), squares);
  cudaMemset(address, 0, sizeof squares);
  copy_kernel<<<1, 64>>>(address, m.out);
}

__constant__ float initialised[4] = {1, 2, 3, 4};
__global__ void scale_kernel(int *out) {
  out[threadIdx.x] = static_cast<int>(initialised[threadIdx.x % 4]) * fixed[threadIdx.x % 2];
}

// Of what is const the host has the same value, and of nothing else.
CORRECT(host_reads_a_const_table) {
  scale_kernel<<<1, 64>>>(m.out);
  if (fixed[0] + fixed[1] > 1000)
    cudaDeviceSynchronize();
}
HAZARD(host_reads_an_initialised_table, shadow_used) {
  scale_kernel<<<1, 64>>>(m.out);
  if (initialised[2] == 3) // here
    cudaDeviceSynchronize();
}

__global__ void fill_managed(int value) { managed[threadIdx.x] = value; }

HAZARD(managed_variable_read_too_early, host_race) {
  fill_managed<<<1, 64>>>(3); // other
  if (managed[5] == 3) // here
    cudaDeviceSynchronize();
}

HAZARD(managed_variable_written_too_early, host_race) {
  fill_managed<<<1, 64>>>(3); // other
  managed[0] = 4; // here
}

CORRECT(managed_variable_in_turns) {
  managed[0] = 1;
  fill_managed<<<1, 64>>>(3);
  cudaDeviceSynchronize();
  managed[0] = managed[1] + 1;
  copy_kernel<<<1, 64>>>(managed, m.out);
}

} // namespace
