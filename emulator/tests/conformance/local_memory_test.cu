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

__global__ void even_and_odd(const int *in, const int *other, int *out) {
  int sums[2] = {}, odd_sums[2] = {}, tables[2][4] = {}, odd_tables[2][4] = {};
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j) {
      const int number = ((j % 2) ? other : in)[k * 2 + j / 2];
      if (k >= 0)
        (j % 2 ? odd_sums : sums)[j / 2] += (j % 2 ? other : in)[k * 2 + j / 2];
      ((threadIdx.x + j) % 2 ? odd_tables : tables)[j / 2][k] += number;
    }
  for (int i = 0; i < 2; ++i) {
    out[i] = sums[i];
    out[2 + i] = odd_sums[i];
    for (int k = 0; k < 4; ++k)
      out[4 + i] += tables[i][k] + odd_tables[i][k];
  }
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

TEST_CASE("of two arrays one is chosen, and an element of it by a quotient") {
  const std::vector<int> numbers = {1, 4, 16, 64, 256, 1024, 4096, 16384};
  const conformance::DeviceArray<int> in(numbers), other(numbers), out(std::vector<int>(6, 0));
  even_and_odd<<<1, 1>>>(in.data(), other.data(), out.data());
  CHECK(out.to_host() == std::vector<int>{0x1111, 0x4444, 0x1111, 0x4444, 0x2222, 0x8888});
}
