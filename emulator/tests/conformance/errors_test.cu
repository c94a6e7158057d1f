// Names and texts of errors, and the last error of a host thread.
#include "conformance.cuh"

#include <string>
#include <thread>

namespace {

TEST_CASE("errors have CUDA's names and texts") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidValue)) == "invalid argument");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) ==
        "invalid configuration argument");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) ==
        "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorString(cudaErrorLaunchFailure)) == "unspecified launch failure");
  CHECK(std::string(cudaGetErrorName(cudaErrorAssert)) == "cudaErrorAssert");
  const auto none = static_cast<cudaError_t>(12345);
  CHECK(std::string(cudaGetErrorName(none)) == "unrecognized error code");
  CHECK(std::string(cudaGetErrorString(none)) == "unrecognized error code");
}

TEST_CASE("errors have CUDA's values") {
  CHECK(cudaErrorInvalidValue == 1);
  CHECK(cudaErrorMemoryAllocation == 2);
  CHECK(cudaErrorInvalidConfiguration == 9);
  CHECK(cudaErrorInvalidMemcpyDirection == 21);
  CHECK(cudaErrorNoDevice == 100);
  CHECK(cudaErrorInvalidResourceHandle == 400);
  CHECK(cudaErrorNotReady == 600);
  CHECK(cudaErrorIllegalAddress == 700);
  CHECK(cudaErrorMisalignedAddress == 716);
  CHECK(cudaErrorLaunchFailure == 719);
  CHECK(cudaErrorUnknown == 999);
}

TEST_CASE("the last error stays until it is fetched; success does not hide it") {
  int count = 0;
  CHECK(cudaMalloc(static_cast<int **>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice); // the later error takes the place
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("each host thread has a last error of its own") {
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  cudaError_t in_thread = cudaErrorUnknown;
  std::thread([&] {
    in_thread = cudaPeekAtLastError();
    cudaMalloc(static_cast<int **>(nullptr), 4);
  }).join();
  CHECK(in_thread == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

} // namespace
