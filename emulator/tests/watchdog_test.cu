// The watchdog ends what does not move, and only that. Run with EMU_THREADS=1 and EMU_TIMEOUT=0.2.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>

namespace {

__global__ void spins(int milliseconds) {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(milliseconds)) {
  }
}

__global__ void waits_for_ever(volatile int *flag) {
  while (*flag == 0) {
  }
}

} // namespace

// A worker takes an eighth of the grid at a time, which here takes longer than the watchdog's limit.
TEST_CASE("a long launch of short blocks is left alone") {
  spins<<<160, 1>>>(12);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("an endless loop is ended" * doctest::skip()) {
  int *flag = nullptr;
  REQUIRE(cudaMalloc(&flag, sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(flag, 0, sizeof(int)) == cudaSuccess);
  std::printf("printed before the loop\n");
  waits_for_ever<<<2, 1>>>(flag);
  cudaDeviceSynchronize();
}
