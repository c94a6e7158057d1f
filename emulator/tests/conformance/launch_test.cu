// What a launch may ask for, attributes of kernels, occupancy, launches by function call.
#include "conformance.cuh"

#include <algorithm>
#include <stdexcept>

#include <nvtx3/nvToolsExt.h>

namespace {

__global__ void nothing() {}
__global__ void opts_in() {}

__global__ void mark(int *place, int value) {
  if (threadIdx.x + blockIdx.x == 0)
    *place = value;
}

__global__ void uses_static(int *out) {
  __shared__ int s_values[12000]; // 48000 bytes
  s_values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (out != nullptr)
    *out = s_values[blockDim.x - 1 - threadIdx.x];
}

// A shape that no device takes. CUDA 13.0 calls it an invalid value, the versions before it an
// invalid configuration.
void check_bad_shape(dim3 grid, dim3 block, size_t shared = 0) {
  nothing<<<grid, block, shared>>>();
  const cudaError_t error = cudaGetLastError();
  CHECK((error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue));
  CHECK(cudaDeviceSynchronize() == cudaSuccess); // it is not sticky
}

void check_good_shape(dim3 grid, dim3 block, size_t shared = 0) {
  nothing<<<grid, block, shared>>>();
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

// Its input is there once it has waited; before that it may already run.
__global__ void add_one(int *place) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  if (threadIdx.x == 0)
    *place += 1;
}

TEST_CASE("a dependent launch finds what the kernel before it has left") {
  conformance::DeviceArray<int> place(1);
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(place.data(), 0, sizeof(int), stream) == cudaSuccess);
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  nvtxRangePushA("a hundred dependent launches");
  for (int i = 0; i < 100; ++i)
    CHECK_OK(cudaLaunchKernelEx(&config, add_one, place.data()));
  nvtxRangePop();
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(place.to_host()[0] == 100);
  cudaStreamDestroy(stream);
}

TEST_CASE("launches of impossible shapes are refused") {
  check_bad_shape(0, 1);
  check_bad_shape(1, 0);
  check_bad_shape(dim3(1, 0, 1), 1);
  check_bad_shape(1, dim3(1, 1, 0));
  check_bad_shape(1, 1025);
  check_bad_shape(1, dim3(1, 1025));
  check_bad_shape(1, dim3(1, 1, 65));
  check_bad_shape(1, dim3(32, 32, 2)); // each extent is allowed, 2048 threads are not
  check_bad_shape(dim3(1, 65536), 1);
  check_bad_shape(dim3(1, 1, 65536), 1);
  check_bad_shape(0x80000000u, 1);
  check_bad_shape(0, 2000, 1000000);
  check_good_shape(1, 1024);
  check_good_shape(1, dim3(1, 1, 64));
  check_good_shape(1, dim3(16, 8, 8));
  check_good_shape(dim3(1, 65535), 1);
}

TEST_CASE("dynamic shared memory: 48 KiB, or what the kernel opted in to") {
  const auto launch = [](size_t bytes) {
    opts_in<<<1, 1, bytes>>>();
    return cudaGetLastError();
  };
  CHECK(launch(48 * 1024) == cudaSuccess);
  CHECK(launch(48 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(launch(1000000) == cudaErrorInvalidValue);
  cudaDeviceProp p;
  REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
  const auto most = static_cast<int>(p.sharedMemPerBlockOptin);
  const auto allow = [](int bytes) {
    return cudaFuncSetAttribute(opts_in, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  CHECK_OK(allow(60000));
  CHECK(launch(60000) == cudaSuccess);
  CHECK(launch(60001) == cudaErrorInvalidValue);
  CHECK_CALL(allow(most + 1), cudaErrorInvalidValue);
  CHECK_CALL(allow(-1), cudaErrorInvalidValue);
  CHECK_OK(allow(most));
  CHECK(launch(static_cast<size_t>(most)) == cudaSuccess);
  nothing<<<1, 1, 60000>>>(); // the other kernel did not opt in
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("static and dynamic shared memory share the 48 KiB") {
  uses_static<<<1, 32, 1152>>>(nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess); // the emulator knows its size when it has run
  uses_static<<<1, 32, 1153>>>(nullptr);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, uses_static));
  CHECK(attributes.sharedSizeBytes == 48000);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("attributes of kernels") {
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, nothing));
  CHECK(attributes.maxThreadsPerBlock == 1024);
  CHECK(attributes.numRegs > 0);
  CHECK(attributes.sharedSizeBytes == 0);
  CHECK(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
  const auto carveout = [](int percent) {
    return cudaFuncSetAttribute(nothing, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  };
  CHECK_OK(carveout(50));
  CHECK_OK(carveout(cudaSharedmemCarveoutDefault));
  CHECK_CALL(carveout(101), cudaErrorInvalidValue);
  CHECK_CALL(carveout(-2), cudaErrorInvalidValue);
  CHECK_CALL(cudaFuncSetAttribute(nothing, static_cast<cudaFuncAttribute>(77), 1),
             cudaErrorInvalidValue);
  CHECK_OK(cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferShared));
}

constexpr int bound = 256;
__global__ void __launch_bounds__(bound) bounded(int *out) { atomicAdd(out, 1); }
template <int threads>
__launch_bounds__(threads > 64 ? threads : 64, 2) __global__ void bounded_by_template(int *out) {
  atomicAdd(out, 1);
}

TEST_CASE("a block larger than its kernel's launch bounds is refused, and nothing has run") {
  const conformance::DeviceArray<int> count(std::vector<int>{0});
  const auto launch = [&](auto kernel, dim3 block, cudaError_t expected) {
    kernel<<<1, block>>>(count.data());
    CHECK(cudaGetLastError() == expected);
    int *place = count.data();
    void *arguments[] = {&place};
    CHECK_CALL(cudaLaunchKernel(kernel, dim3(1), block, arguments, 0, nullptr), expected);
  };
  launch(bounded, dim3(bound + 1), cudaErrorInvalidValue);
  launch(bounded, dim3(16, 17), cudaErrorInvalidValue);
  launch(bounded_by_template<32>, dim3(65), cudaErrorInvalidValue);
  launch(bounded_by_template<128>, dim3(129), cudaErrorInvalidValue);
  CHECK(count.to_host() == std::vector<int>{0});
  launch(bounded, dim3(bound), cudaSuccess);
  launch(bounded_by_template<32>, dim3(64), cudaSuccess);
  launch(bounded_by_template<128>, dim3(128), cudaSuccess);
  CHECK(count.to_host() == std::vector<int>{2 * (bound + 64 + 128)});
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, bounded));
  CHECK(attributes.maxThreadsPerBlock == bound);
  CHECK_OK(cudaFuncGetAttributes(&attributes, bounded_by_template<32>));
  CHECK(attributes.maxThreadsPerBlock == 64);
  int grid = 0, block = 0;
  CHECK_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
  CHECK(block == bound);
}

__global__ void wants_much_shared() {}

// The limits of an SM, by hand. (The kernels need few registers on every device.)
int expected_blocks(const cudaDeviceProp &p, int threads, size_t shared, size_t most_shared) {
  if (threads > p.maxThreadsPerBlock || shared > most_shared)
    return 0;
  const int warps = (threads + 31) / 32;
  const size_t used = (shared + 127) / 128 * 128 + p.reservedSharedMemPerBlock;
  return std::min({p.maxBlocksPerMultiProcessor,
                   p.maxThreadsPerMultiProcessor / 32 / warps,
                   static_cast<int>(p.sharedMemPerMultiprocessor / used)});
}

void check_occupancy(void (*kernel)(), const cudaDeviceProp &p, size_t most_shared) {
  for (const int threads : {1, 32, 33, 96, 256, 768, 1024, 1025})
    for (const size_t shared : {0, 1024, 3072, 48 * 1024, 100000, 300000}) {
      CAPTURE(threads);
      CAPTURE(shared);
      int blocks = -1;
      CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
      CHECK(blocks == expected_blocks(p, threads, shared, most_shared));
    }
}

struct MuchAbove128 {
  __host__ __device__ size_t operator()(int block_size) const {
    return block_size > 128 ? 200000 : 0;
  }
};

TEST_CASE("occupancy follows from the limits") {
  cudaDeviceProp p;
  REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
  const size_t most = p.sharedMemPerBlockOptin;
  REQUIRE(cudaFuncSetAttribute(wants_much_shared,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(most)) == cudaSuccess);
  check_occupancy(nothing, p, 48 * 1024);
  check_occupancy(wants_much_shared, p, most);
  int blocks = -1;
  CHECK_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0),
             cudaErrorInvalidValue);

  int grid = 0, block = 0;
  CHECK_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing));
  CHECK(block == 1024);
  CHECK(grid == p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / 1024));
  CHECK_OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 300));
  CHECK(block == 256); // 8 x 256 threads fill an SM, 7 x 288 do not
  CHECK(grid == p.multiProcessorCount * 8);
  CHECK_OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, nothing, MuchAbove128{}));
  CHECK(block == 128);

  const auto available = [](void (*kernel)(), int blocks_per_sm) {
    size_t bytes = 0;
    CHECK_OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks_per_sm, 256));
    return bytes;
  };
  CHECK(available(nothing, 1) == 48 * 1024);
  CHECK(available(wants_much_shared, 1) == most);
  CHECK(available(wants_much_shared, 2) == p.sharedMemPerMultiprocessor / 2);
  CHECK(available(wants_much_shared, 8) == p.sharedMemPerMultiprocessor / 8);
  size_t bytes = 0;
  CHECK_CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 100, 1024),
             cudaErrorInvalidValue);
}

__global__ void prefers() {}

TEST_CASE("what a kernel prefers as L1 cache is missing as shared memory") {
  cudaDeviceProp p;
  REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
  const size_t shared = 32 * 1024 - p.reservedSharedMemPerBlock;
  const auto blocks = [&](int percent) {
    int found = -1;
    CHECK_OK(
        cudaFuncSetAttribute(prefers, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, prefers, 64, shared));
    return found;
  };
  const int most = static_cast<int>(p.sharedMemPerMultiprocessor / (32 * 1024));
  CHECK(blocks(cudaSharedmemCarveoutDefault) == most);
  CHECK(blocks(cudaSharedmemCarveoutMaxShared) == most);
  CHECK(blocks(cudaSharedmemCarveoutMaxL1) == 1); // one block has to fit
  CHECK(blocks(static_cast<int>(40 * 1024 * 100 / p.sharedMemPerMultiprocessor)) == 2); // 64 KB
}

/// A place in device memory, and the arguments with which `mark` leaves the value there.
struct Marked {
  conformance::DeviceArray<int> place{1};
  int *pointer = place.data();
  int value = 0;
  void *arguments[2] = {&pointer, &value};
  int now() const { return place.to_host()[0]; }
};

TEST_CASE("kernels are launched by function call") {
  Marked m;
  m.value = 42;
  CHECK_OK(cudaLaunchKernel(mark, dim3(2), dim3(32), m.arguments, 0, nullptr));
  CHECK(m.now() == 42);
  m.value = 43;
  CHECK_OK(cudaLaunchCooperativeKernel(mark, dim3(2), dim3(32), m.arguments, 0, nullptr));
  CHECK(m.now() == 43);
  CHECK_CALL(cudaLaunchCooperativeKernel(mark, dim3(1 << 20), dim3(1024), m.arguments, 0, nullptr),
             cudaErrorCooperativeLaunchTooLarge);
  const cudaError_t error = cudaLaunchKernel(mark, dim3(1), dim3(1025), m.arguments, 0, nullptr);
  CHECK(error != cudaSuccess);
  CHECK(cudaGetLastError() == error);
}

template <class T> __global__ void mark_as(T *place, T value) {
  if (threadIdx.x == 0)
    *place = value;
}

TEST_CASE("kernels are launched through untyped pointers") {
  Marked m;
  m.value = 7;
  CHECK_OK(cudaLaunchKernel((void *)mark, 1, 32, m.arguments, 0, nullptr));
  CHECK(m.now() == 7);
  m.value = 8;
  const void *kernels[] = {(const void *)mark_as<int>, reinterpret_cast<const void *>(mark)};
  CHECK_OK(cudaLaunchKernel(kernels[0], 1, 32, m.arguments, 0, nullptr));
  CHECK(m.now() == 8);
  m.value = 9;
  CHECK_OK(cudaLaunchCooperativeKernel(kernels[1], 1, 32, m.arguments, 0, nullptr));
  CHECK(m.now() == 9);
  cudaFuncAttributes attributes;
  CHECK_OK(cudaFuncGetAttributes(&attributes, kernels[0]));
}

// A launch that stands among the arguments of another one.
int marked(int *place, int value) {
  mark<<<2, 64>>>(place, value);
  return value + 1;
}
int thrown() { throw std::runtime_error("no argument"); }
void launch_with(int *place, int (*argument)()) { mark<<<1, 32>>>(place, argument()); }

TEST_CASE("arguments of a launch may launch kernels, and may throw") {
  const conformance::DeviceArray<int> places(3);
  int *const place = places.data();
  mark<<<4, 32>>>(place, marked(place + 1, marked(place + 2, 7)));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK(places.to_host() == std::vector<int>{9, 8, 7});
  for (int i = 0; i < 100; ++i)
    CHECK_THROWS_AS(launch_with(place, thrown), std::runtime_error);
  mark<<<1, 32>>>(place, marked(place + 1, marked(place + 2, 4)));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK(places.to_host() == std::vector<int>{6, 5, 4});
}

TEST_CASE("launches with attributes") {
  Marked m;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 64;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK_OK(cudaLaunchKernelEx(&config, mark, m.pointer, 11));
  CHECK(m.now() == 11);
  config.gridDim = 1 << 20;
  CHECK_CALL(cudaLaunchKernelEx(&config, mark, m.pointer, 12), cudaErrorCooperativeLaunchTooLarge);
  m.value = 13;
  config.numAttrs = 0;
  config.gridDim = 1;
  CHECK_OK(cudaLaunchKernelExC(&config, (const void *)mark, m.arguments));
  CHECK(m.now() == 13);
}

TEST_CASE("a launch's error does not hide or take the place of an older one's fetching") {
  CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
  Marked m;
  m.value = 1;
  CHECK(cudaLaunchKernel(mark, dim3(1), dim3(1), m.arguments, 0, nullptr) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

} // namespace
