// A kernel that crashes ruins the context: calls that need the device fail from then on.
#include "conformance.cuh"

namespace {

__global__ void crash() { __trap(); }
__global__ void nothing() {}
__device__ int as_it_began[3] = {1, 2, 3};

TEST_CASE("a crashed kernel's error is sticky" * doctest::skip()) {
  int *before = nullptr;
  const int written[3] = {7, 8, 9};
  CHECK_OK(cudaMemcpyToSymbol(as_it_began, written, sizeof written));
  REQUIRE(cudaMalloc(&before, 4) == cudaSuccess);

  crash<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaSuccess); // reported, and yet …

  int *p = nullptr;
  int word = 0;
  cudaEvent_t event;
  CHECK_CALL(cudaMalloc(&p, 4), cudaErrorLaunchFailure);
  CHECK_CALL(cudaMemcpy(&word, before, 4, cudaMemcpyDeviceToHost), cudaErrorLaunchFailure);
  CHECK_CALL(cudaEventCreate(&event), cudaErrorLaunchFailure);
  CHECK_CALL(cudaStreamSynchronize(nullptr), cudaErrorLaunchFailure);
  CHECK_CALL(cudaFree(nullptr), cudaErrorLaunchFailure);
  nothing<<<1, 1>>>();
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);

  // What needs no context still works.
  int count = 0;
  cudaDeviceProp properties;
  cudaGetLastError();
  CHECK_OK(cudaGetDeviceCount(&count));
  CHECK_OK(cudaGetDeviceProperties(&properties, 0));
  CHECK_OK(cudaMemcpy(&word, &word, 0, cudaMemcpyHostToHost));

  CHECK(cudaDeviceReset() == cudaSuccess);
#ifdef BUILD_FIRST_EMULATOR
  // Some GPU set-ups let the process start again after a reset, others do not.
  CHECK_OK(cudaMalloc(&p, 4));
  nothing<<<1, 1>>>();
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_OK(cudaFree(p));
  CHECK_CALL(cudaFree(before), cudaErrorInvalidValue); // the reset freed it
  CHECK_OK(cudaMemcpyFromSymbol(&word, as_it_began, sizeof word, 2 * sizeof word));
  CHECK(word == 3);

  // Every block of a grid crashes; the context is ruined once and reset once.
  crash<<<64, 32>>>();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
#endif
}

} // namespace
