// Several host threads use one device at a time: launches, copies, streams, errors of their own.
#include "conformance.cuh"

#include <atomic>
#include <thread>

namespace {

using conformance::DeviceArray;

constexpr int n = 4096, block = 128, rounds = 20;

// values[i] += the sum of its block's values, times `factor`.
__global__ void add_block_sums(int *values, int factor) {
  __shared__ int s_sum;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); // [0, n)
  if (threadIdx.x == 0)
    s_sum = 0;
  __syncthreads();
  const int value = values[i];
  atomicAdd(&s_sum, value);
  __syncthreads();
  values[i] = (value + s_sum * factor) % 1000;
}

__global__ void count(int *counter) { atomicAdd(counter, 1); }

std::vector<int> expected(int seed) {
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[static_cast<size_t>(i)] = (i * 7 + seed) % 100;
  for (int round = 0; round < rounds; ++round)
    for (size_t first = 0; first < n; first += block) {
      int sum = 0;
      for (size_t i = first; i < first + block; ++i)
        sum += values[i];
      for (size_t i = first; i < first + block; ++i)
        values[i] = (values[i] + sum * (seed + round)) % 1000;
    }
  return values;
}

// What one host thread does. No doctest here: its checks are not meant for several threads.
bool compute(int seed, bool own_stream) {
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[static_cast<size_t>(i)] = (i * 7 + seed) % 100;
  cudaStream_t stream = nullptr;
  int *d_values = nullptr;
  bool ok = !own_stream || cudaStreamCreate(&stream) == cudaSuccess;
  ok &= cudaMalloc(&d_values, n * sizeof(int)) == cudaSuccess;
  ok &= cudaMemcpyAsync(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream) ==
        cudaSuccess;
  for (int round = 0; round < rounds; ++round) {
    add_block_sums<<<n / block, block, 0, stream>>>(d_values, seed + round);
    ok &= cudaGetLastError() == cudaSuccess;
  }
  ok &= cudaMemcpyAsync(values.data(), d_values, n * sizeof(int), cudaMemcpyDeviceToHost, stream) ==
        cudaSuccess;
  ok &= cudaStreamSynchronize(stream) == cudaSuccess;
  ok &= cudaFree(d_values) == cudaSuccess;
  ok &= !own_stream || cudaStreamDestroy(stream) == cudaSuccess;
  return ok && values == expected(seed);
}

template <class Work> void in_threads(int threads, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back(work, i);
  for (std::thread &thread : all)
    thread.join();
}

TEST_CASE("host threads launch and copy at the same time") {
  for (const bool own_stream : {true, false}) {
    std::atomic<int> right{0};
    in_threads(8, [&](int i) { right += compute(i, own_stream); });
    CHECK(right == 8);
  }
}

TEST_CASE("kernels of several host threads count in one place") {
  const DeviceArray<int> counter(std::vector<int>{0});
  int *const d_counter = counter.data();
  in_threads(4, [&](int) {
    for (int round = 0; round < 25; ++round)
      count<<<2, 64>>>(d_counter);
    cudaDeviceSynchronize();
  });
  CHECK(counter.to_host()[0] == 4 * 25 * 2 * 64);
}

// A launch in each of two streams, which become a graph that nobody launches.
bool capture(cudaStream_t stream, cudaStream_t other, cudaEvent_t event, int *d_counter) {
  bool ok = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess;
  count<<<1, 32, 0, stream>>>(d_counter);
  ok &= cudaEventRecord(event, stream) == cudaSuccess;
  ok &= cudaStreamWaitEvent(other, event, 0) == cudaSuccess;
  count<<<1, 32, 0, other>>>(d_counter);
  ok &= cudaEventRecord(event, other) == cudaSuccess;
  ok &= cudaStreamWaitEvent(stream, event, 0) == cudaSuccess;
  cudaGraph_t graph = nullptr;
  ok &= cudaStreamEndCapture(stream, &graph) == cudaSuccess;
  return ok && cudaGraphDestroy(graph) == cudaSuccess;
}

bool launch_and_wait(cudaStream_t stream, cudaStream_t other, cudaEvent_t event, int *d_counter) {
  count<<<1, 32, 0, stream>>>(d_counter);
  bool ok = cudaEventRecord(event, stream) == cudaSuccess;
  ok &= cudaStreamWaitEvent(other, event, 0) == cudaSuccess;
  return ok && cudaStreamSynchronize(other) == cudaSuccess;
}

TEST_CASE("some host threads capture while others launch and wait") {
  constexpr int times = 200;
  const DeviceArray<int> counter(std::vector<int>{0});
  int *const d_counter = counter.data();
  std::atomic<int> right{0}, ready{0};
  in_threads(4, [&](int i) {
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t event = nullptr;
    bool ok = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    ok &= cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess;
    ok &= cudaEventCreate(&event) == cudaSuccess;
    for (++ready; ready < 4;) // so that they meet
      std::this_thread::yield();
    for (int round = 0; round < times; ++round)
      ok &= (i % 2 == 0 ? capture : launch_and_wait)(stream, other, event, d_counter);
    ok &= cudaGetLastError() == cudaSuccess;
    ok &= cudaEventDestroy(event) == cudaSuccess;
    ok &= cudaStreamDestroy(other) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess;
    right += ok;
  });
  CHECK(right == 4);
  CHECK(counter.to_host()[0] == 2 * times * 32);
}

// Between its records no time is promised: asked for meanwhile, an H200's driver answers -1.8e12 ms, too.
TEST_CASE("an event may be recorded anew by one host thread while another one asks for it") {
  cudaEvent_t start, event;
  CHECK_OK(cudaEventCreate(&start));
  CHECK_OK(cudaEventCreate(&event));
  CHECK_OK(cudaEventRecord(start));
  CHECK_OK(cudaEventRecord(event));
  CHECK_OK(cudaEventSynchronize(event));
  std::atomic<bool> over{false}, right{true};
  std::thread records([&] {
    for (int round = 0; round < 20'000; ++round)
      if (cudaEventRecord(event) != cudaSuccess)
        right = false;
    over = true;
  });
  while (!over) {
    float milliseconds = 0;
    const cudaError_t error = cudaEventElapsedTime(&milliseconds, start, event);
    if (error != cudaSuccess && error != cudaErrorNotReady)
      right = false;
#ifdef BUILD_FIRST_EMULATOR
    if (milliseconds < 0)
      right = false;
#endif
  }
  records.join();
  CHECK(right);
  cudaGetLastError();
  CHECK_OK(cudaEventSynchronize(event));
  CHECK_OK(cudaEventDestroy(event));
  CHECK_OK(cudaEventDestroy(start));
}

TEST_CASE("each host thread has a last error of its own") {
  std::atomic<int> wrong{0}, clean{0};
  in_threads(6, [&](int i) {
    if (i % 2 == 0)
      count<<<1, 4096>>>(nullptr); // too many threads: refused
    const cudaError_t error = cudaGetLastError();
    (i % 2 == 0 ? wrong : clean) += i % 2 == 0 ? error != cudaSuccess : error == cudaSuccess;
  });
  CHECK(wrong == 3);
  CHECK(clean == 3);
  CHECK(cudaGetLastError() == cudaSuccess);
}

} // namespace
