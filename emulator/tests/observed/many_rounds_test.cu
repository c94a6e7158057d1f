// Correct kernels that meet, or fence, more often than 16 bits count: none may raise an alarm.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <observation/observe.hpp>

namespace {

// More meetings than 16 bits count: 70,000 with all lanes, then as many of half a warp with itself.
__global__ void many_meetings_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 35000; ++round) {
    s_data[lane] = round;
    __syncwarp();
    sum += s_data[31 - lane];
    __syncwarp();
  }
  const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
  for (int round = 0; round < 35000; ++round) {
    s_data[lane] = round;
    __syncwarp(half);
    sum += s_data[lane ^ 15];
    __syncwarp(half);
  }
  out[lane] = sum;
}

// More fences, too; what stands before one is released by the atomic behind it.
__global__ void many_fences_kernel(int *out, int *arrived) {
  for (int round = 0; round < 65535; ++round)
    __threadfence();
  out[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(arrived, 1) == 0)
    return;
  __threadfence();
  out[2] = out[1 - blockIdx.x];
}

void check_that_nothing_is_seen(auto launch) {
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 128 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(out, 0, 128 * sizeof(int)) == cudaSuccess);
  emu::start_observing();
  launch(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(emu::stop_observing().hazards.empty());
  CHECK(cudaFree(out) == cudaSuccess);
}

} // namespace

TEST_CASE("lanes that meet 70,000 times are in order") {
  check_that_nothing_is_seen([](int *out) { many_meetings_kernel<<<1, 32>>>(out); });
}
TEST_CASE("a thread that has fenced 65,536 times in all releases what it wrote") {
  check_that_nothing_is_seen([](int *out) { many_fences_kernel<<<2, 1>>>(out, out + 100); });
}
