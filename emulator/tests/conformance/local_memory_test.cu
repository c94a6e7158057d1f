// Local memory: arrays of a thread's own, as large as a GPU allows (512 KiB), that live through barriers.
#include "conformance.cuh"

namespace {

template <int elements> __global__ void keeps(float *out, int stride) {
  float own[elements];
  for (int i = 0; i < elements; ++i)
    own[i] = static_cast<float>(i % 1000) + static_cast<float>(threadIdx.x);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < elements; i += stride)
    sum += own[i];
  out[threadIdx.x] = sum;
}

size_t bytes_of_all_threads(size_t elements) {
  int sms = 0, threads = 0;
  CHECK_OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK_OK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  return elements * sizeof(float) * static_cast<size_t>(sms) * static_cast<size_t>(threads);
}

size_t device_memory() {
  size_t free = 0, all = 0;
  CHECK_OK(cudaMemGetInfo(&free, &all));
  return all;
}

template <int elements> void check_kept(int threads) {
  CAPTURE(elements);
  constexpr int stride = elements / 100;
  const conformance::DeviceArray<float> out(static_cast<size_t>(threads));
  keeps<elements><<<1, threads>>>(out.data(), stride);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaErrorMemoryAllocation && bytes_of_all_threads(elements) > device_memory())
    return; // a GPU has it for all threads that it may hold
  REQUIRE(error == cudaSuccess);
  const std::vector<float> sums = out.to_host();
  for (int thread = 0; thread < threads; ++thread) {
    float sum = 0;
    for (int i = 0; i < elements; i += stride)
      sum += static_cast<float>(i % 1000) + static_cast<float>(thread);
    CHECK(sums[static_cast<size_t>(thread)] == sum);
  }
}

} // namespace

TEST_CASE("a thread's own array may be of 80,000 bytes, and of 512,000") {
  check_kept<20'000>(64);
  check_kept<128'000>(4);
}
