// The engine on correct kernels: each way in which threads of a block can meet.
#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

// One value per thread, filled by a kernel. Host memory will do: kernels run on this CPU.
template <class Kernel, class... Arguments>
std::vector<int> run(int blocks, int threads, Kernel kernel, Arguments... arguments) {
  std::vector<int> result(static_cast<size_t>(blocks) * threads, -1);
  kernel<<<blocks, threads>>>(result.data(), arguments...);
  CHECK(cudaGetLastError() == cudaSuccess);
  return result;
}

__device__ int thread_number() {
  return blockIdx.x * blockDim.x * blockDim.y * blockDim.z +
         (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__global__ void indices(int *out) { out[thread_number()] = thread_number(); }

// Everybody adds its neighbour's value, again and again: one missed barrier shows in the sum.
__global__ void rounds(int *out, int count) {
  __shared__ int values[1024];
  const int t = threadIdx.x, n = blockDim.x;
  values[t] = t;
  for (int i = 0; i < count; ++i) {
    __syncthreads();
    const int next = values[(t + 1) % n];
    __syncthreads();
    values[t] = next + 1;
  }
  out[thread_number()] = values[t];
}

__global__ void some_exit(int *out, int stay) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  out[thread_number()] = 0;
  if (static_cast<int>(threadIdx.x) >= stay)
    return;
  atomicAdd(&sum, 1);
  __syncthreads();
  out[thread_number()] = sum;
}

// Halves what it is to fill until there is nothing left to halve.
__global__ void fill_halves(int *out, int first, int count) {
  if (threadIdx.x > 0)
    return;
  out[first] = first;
  if (count > 1) {
    fill_halves<<<1, 2>>>(out, first, count / 2);
    fill_halves<<<1, 2, 0, cudaStreamFireAndForget>>>(out, first + count / 2, count - count / 2);
  }
}

__global__ void butterfly(int *out) {
  int value = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  out[thread_number()] = value;
}

// Half-warps, then quarters, then all together, with different numbers of rounds before.
__global__ void partial_masks(int *out) {
  const int lane = threadIdx.x % 32;
  int value = lane;
  if (lane < 16)
    value = __shfl_xor_sync(0x0000ffffu, value, 1);
  else if (lane < 24)
    for (int i = 0; i < 3; ++i)
      value = __shfl_xor_sync(0x00ff0000u, value, 2);
  else
    value = __shfl_xor_sync(0xff000000u, value, 4);
  out[thread_number()] = __shfl_sync(0xffffffffu, value, 31 - lane);
}

__global__ void counted(int *out) {
  const int thirds = __syncthreads_count(threadIdx.x % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < blockDim.x);
  const int any = __syncthreads_or(threadIdx.x == 77);
  out[thread_number()] = thirds * 100 + all * 10 + any;
}

__global__ void votes(int *out) {
  const unsigned odd = __ballot_sync(~0u, threadIdx.x & 1);
  const unsigned same = __match_any_sync(~0u, threadIdx.x % 4);
  int equal;
  __match_all_sync(~0u, threadIdx.x / 64, &equal);
  const int highest = __reduce_max_sync(~0u, static_cast<int>(threadIdx.x));
  out[thread_number()] = odd == 0xaaaaaaaau && same == 0x11111111u << (threadIdx.x % 4) && equal &&
                         highest == static_cast<int>(threadIdx.x | 31) &&
                         __any_sync(~0u, threadIdx.x == 5) == (threadIdx.x < 32) &&
                         __all_sync(~0u, threadIdx.x < 64) == (threadIdx.x < 64);
}

__global__ void converged(int *out) {
  int mask;
  if (threadIdx.x % 4 == 0)
    mask = __activemask();
  else
    mask = __activemask();
  out[thread_number()] = mask;
}

// Thread 0 waits in a loop for the last thread of its block.
__global__ void spin(int *out) {
  __shared__ int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    while (atomicAdd(&flag, 0) == 0) {
    }
  else if (threadIdx.x == blockDim.x - 1)
    atomicExch(&flag, 1);
  out[thread_number()] = flag;
}

template <int N> __global__ void templated_shared(int *out) {
  __shared__ int a[N], b;
  a[threadIdx.x % N] = N;
  if (threadIdx.x == 0)
    b = N;
  __syncthreads();
  out[thread_number()] = a[threadIdx.x % N] + b;
}

__global__ void dynamic_shared(int *out) {
  extern __shared__ double values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[thread_number()] = static_cast<int>(values[blockDim.x - 1 - threadIdx.x]);
}

__shared__ int file_scope[64];
__shared__ float file_scope_scalar;
extern __shared__ int file_scope_dynamic[];
__global__ void file_scope_shared(int *out) {
  file_scope[threadIdx.x] = threadIdx.x;
  file_scope_dynamic[threadIdx.x] = 100;
  if (threadIdx.x == 0)
    file_scope_scalar = 0.5f;
  __syncthreads();
  out[thread_number()] = static_cast<int>(file_scope[63 - threadIdx.x] + file_scope_dynamic[1] +
                                          2 * file_scope_scalar);
}

// Touches ten times the stack that a thread of a plain kernel needs.
__global__ void recursion_and_locals(int *out) {
  volatile int local[1000];
  for (int i = 0; i < 1000; ++i)
    local[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 1000; ++i)
    sum += local[i];
  out[thread_number()] = sum;
}

template <class F> __global__ void apply(int *out, F function) {
  out[threadIdx.x] = function(threadIdx.x);
}

struct Pair {
  int a, b;
};
__global__ void arguments(int *out, const int *null_pointer, Pair pair, long number) {
  if (null_pointer == nullptr)
    *out = static_cast<int>(pair.a * 100 + pair.b * 10 + number);
}

} // namespace

TEST_CASE("kernels launch kernels, which run before the host goes on") {
  std::vector<int> out(37, -1), expected(37);
  std::iota(expected.begin(), expected.end(), 0);
  fill_halves<<<1, 2>>>(out.data(), 0, 37);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out == expected);
}

TEST_CASE("every thread of every shape runs once, knowing who it is") {
  for (const dim3 block :
       {dim3(1), dim3(33), dim3(1024), dim3(5, 7), dim3(3, 4, 5), dim3(1, 1, 64)})
    for (const int blocks : {1, 2, 1000}) {
      const auto count = static_cast<size_t>(blocks) * block.x * block.y * block.z;
      std::vector<int> out(count, -1), expected(count);
      std::iota(expected.begin(), expected.end(), 0);
      indices<<<blocks, block>>>(out.data());
      CHECK(out == expected);
    }
}

__managed__ int seen[4][3][2];
__global__ void mark_block() { ++seen[blockIdx.z][blockIdx.y][blockIdx.x]; }

TEST_CASE("a 3-D grid is covered") {
  mark_block<<<dim3(2, 3, 4), 1>>>();
  for (const auto &plane : seen)
    for (const auto &row : plane)
      for (int count : row)
        CHECK(count == 1);
}

TEST_CASE("barriers: many rounds, any number of threads") {
  for (const int threads : {1, 2, 31, 32, 33, 100, 256, 1024}) {
    CAPTURE(threads);
    const auto out = run(5, threads, rounds, 50);
    for (int t = 0; t < threads; ++t)
      REQUIRE(out[static_cast<size_t>(t)] == (t + 50) % threads + 50);
    CHECK(std::equal(out.begin(), out.begin() + threads, out.end() - threads));
  }
}

TEST_CASE("a barrier waits for the threads that have not exited") {
  for (const int stay : {0, 1, 7, 32, 63, 64}) {
    CAPTURE(stay);
    const auto out = run(3, 64, some_exit, stay);
    for (int t = 0; t < 64; ++t)
      REQUIRE(out[static_cast<size_t>(t)] == (t < stay ? stay : 0));
  }
}

TEST_CASE("shuffles of whole warps") {
  const auto out = run(2, 128, butterfly);
  for (size_t i = 0; i < out.size(); ++i) {
    const int warp = static_cast<int>(i % 128) / 32;
    REQUIRE(out[i] == 31 * 32 / 2 + 32 * 32 * warp);
  }
}

TEST_CASE("shuffles of parts of a warp, at different times") {
  const auto out = run(2, 64, partial_masks);
  const auto before = [](int lane) {
    return lane < 16 ? lane ^ 1 : lane < 24 ? lane ^ 2 : lane ^ 4;
  };
  for (size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == before(31 - static_cast<int>(i % 32)));
}

TEST_CASE("__syncthreads_count, _and, _or") {
  for (int value : run(3, 96, counted))
    REQUIRE(value == 32 * 100 + 10 + 1);
}

TEST_CASE("votes, match and reduce") {
  for (int value : run(2, 128, votes))
    REQUIRE(value == 1);
}

TEST_CASE("__activemask: lanes that can come together do") {
  const auto out = run(1, 64, converged);
  for (size_t i = 0; i < out.size(); ++i)
    REQUIRE(static_cast<unsigned>(out[i]) == (i % 4 == 0 ? 0x11111111u : 0xeeeeeeeeu));
}

TEST_CASE("a loop that spins on another thread of the block ends") {
  for (int value : run(4, 64, spin))
    REQUIRE(value >= 0);
}

TEST_CASE("shared memory: templates, dynamic, at file scope") {
  for (int value : run(2, 64, templated_shared<8>))
    REQUIRE(value == 16);
  for (int value : run(2, 64, templated_shared<16>))
    REQUIRE(value == 32);
  std::vector<int> out(64);
  dynamic_shared<<<1, 64, 64 * sizeof(double)>>>(out.data());
  for (int t = 0; t < 64; ++t)
    REQUIRE(out[static_cast<size_t>(t)] == 63 - t);
  file_scope_shared<<<1, 64, 64 * sizeof(int)>>>(out.data());
  for (int t = 0; t < 64; ++t)
    REQUIRE(out[static_cast<size_t>(t)] == 63 - t + 100 + 1);
}

TEST_CASE("local arrays and deep stacks") {
  for (int value : run(2, 1024, recursion_and_locals))
    REQUIRE(value == 999 * 1000 / 2);
}

TEST_CASE("arguments convert as in a call: null pointers, braces, widening") {
  int out = 0;
  arguments<<<1, 1>>>(&out, NULL, {1, 2}, 3);
  CHECK(out == 123);
  arguments<<<1, 1>>>(&out, 0, Pair{4, 5}, out);
  CHECK(out == 450 + 123);
}

TEST_CASE("kernels: overloaded templates, lambdas, pointers, macros") {
  std::vector<int> out(32);
  const int factor = 3;
  apply<<<1, 32>>>(out.data(), [=] __device__(int i) { return i * factor; });
  CHECK(out[31] == 93);
  void (*pointer)(int *) = indices;
  pointer<<<1, 32>>>(out.data());
  CHECK(out[31] == 31);
#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
  LAUNCH(templated_shared<4>, out.data());
  CHECK(out[31] == 8);
}

TEST_CASE("a program may play one device after the other") {
  const auto attribute = [](cudaDeviceAttr which) {
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
    return value;
  };
  const int usual = attribute(cudaDevAttrMultiProcessorCount);
  setenv("EMU_SMS", "7", 1);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 7);
  setenv("EMU_SMS_0", "3", 1);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 3);
  setenv("EMU_SMS_1", "4", 1);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 3);
  unsetenv("EMU_SMS_0");
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 7);
  unsetenv("EMU_SMS_1");
  unsetenv("EMU_SMS");
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == usual);
  const auto allow = [](int bytes) {
    return cudaFuncSetAttribute(indices, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  setenv("EMU_SHARED_KB", "99", 1);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == 99 * 1024);
  CHECK(allow(99 * 1024) == cudaSuccess);
  CHECK(allow(99 * 1024 + 1) == cudaErrorInvalidValue);
  unsetenv("EMU_SHARED_KB");
  CHECK(allow(99 * 1024 + 1) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  setenv("EMU_DEVICE", "t4", 1);
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == 40);
  CHECK(attribute(cudaDevAttrClusterLaunch) == 0);
  CHECK(allow(64 * 1024 + 1) == cudaErrorInvalidValue);
  unsetenv("EMU_DEVICE");
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == usual);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

namespace {

__global__ void writes_ends(int *memory, size_t n) {
  memory[threadIdx.x * (n - 1)] = 7 + threadIdx.x;
}

} // namespace

TEST_CASE(
    "a device may have more memory than the machine, of which only what is touched is taken") {
  constexpr size_t size = size_t{600} << 30, n = size / sizeof(int);
  int *memory = nullptr;
  setenv("EMU_MEMORY_GB", "1000", 1);
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(total == size_t{1000} << 30);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(properties.totalGlobalMem == total);
  REQUIRE(cudaMalloc(&memory, size) == cudaSuccess);
  writes_ends<<<1, 2>>>(memory, n);
  int last = 0;
  CHECK(cudaMemcpy(&last, memory + n - 1, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(last == 8);
  int *more = nullptr;
  CHECK(cudaMalloc(&more, size) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(memory) == cudaSuccess);
  unsetenv("EMU_MEMORY_GB");
  CHECK(cudaMalloc(&memory, size) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

namespace {

__global__ void fills(int words, int *sum) {
  extern __shared__ int s_words[];
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
    s_words[i] = 1;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
    atomicAdd(sum, s_words[words - 1 - i]);
}

} // namespace

TEST_CASE("a block has 227 KB of shared memory, and what asks for more is told the numbers") {
  constexpr int most = 227 * 1024, words = most / 4;
  const auto allow = [](int bytes) {
    return cudaFuncSetAttribute(fills, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  int *sum = nullptr;
  REQUIRE(cudaMallocManaged(&sum, sizeof *sum) == cudaSuccess);
  *sum = 0;
  REQUIRE(allow(most) == cudaSuccess);
  fills<<<1, 256, most>>>(words, sum);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(*sum == words);
  CHECK(allow(228 * 1024) == cudaErrorInvalidValue);
  fills<<<1, 256, 228 * 1024>>>(words, sum);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(*sum == words);
  CHECK(cudaFree(sum) == cudaSuccess);
}

namespace {

__global__ void prints_wide(int value) { printf("(%600d)\n", value); }

} // namespace

TEST_CASE("a kernel prints what is long, too") { // the test emulator.engine.prints looks at it
  prints_wide<<<1, 1>>>(7);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

namespace {

__global__ void takes_a_while(int *counts) {
  for (int i = 0; i < 1000; ++i)
    atomicAdd(&counts[blockIdx.x], 1);
}

/// Its destructor launches, on all host threads: the test emulator.engine.at_the_end asks for it.
struct LaunchesAtTheEnd {
  ~LaunchesAtTheEnd() {
    if (std::getenv("LAUNCH_AT_THE_END") == nullptr)
      return;
    std::vector<int> counts(4096);
    takes_a_while<<<4096, 1>>>(counts.data());
    cudaDeviceSynchronize();
    std::printf("a destructor's launch: %zd of 4096\n",
                std::count(counts.begin(), counts.end(), 1000));
  }
} launches_at_the_end;

} // namespace
