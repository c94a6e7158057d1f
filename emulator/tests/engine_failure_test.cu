// The engine on kernels that go wrong: each ends with its CUDA error, and the next launch is sound.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_pipeline.h>
#include <doctest/doctest.h>

#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

#include "deep_stack.cuh"

namespace {

__global__ void fine(int *out) { *out = 1; }

// What was launched ends with the error; then the emulator is as good as new.
void check_failure(cudaError_t expected) {
  CHECK(cudaDeviceSynchronize() == expected);
  CHECK(cudaDeviceReset() == cudaSuccess);
  int out = 0;
  fine<<<1, 1>>>(&out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out == 1);
}

__global__ void waits_for_nobody() {
  if (threadIdx.x == 3)
    __syncwarp(0x3f);
  else if (threadIdx.x < 5)
    __syncwarp(0x1f);
  __syncthreads();
}

__global__ void moves_float4(float *out, int at) {
  *reinterpret_cast<float4 *>(&out[at]) = *reinterpret_cast<float4 *>(&out[0]);
}

__global__ void begins_float4(const float *in, int at) {
  __shared__ float4 s_values;
  __pipeline_memcpy_async(&s_values, &in[at], sizeof s_values);
}

__global__ void far_outside(int *out, long offset) { out[offset] = 1; }

__global__ void asserts(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

__global__ void stores_box(const __grid_constant__ CUtensorMap map, int column) {
  __shared__ alignas(128) int s_box[16];
  const auto box = static_cast<unsigned>(__cvta_generic_to_shared(s_box));
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, 0}], [%2];"
               :
               : "l"(&map), "r"(column), "r"(box)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;");
  asm volatile("cp.async.bulk.wait_group 0;");
}

// The first block of the cluster comes when the second one has ended.
__global__ void __cluster_dims__(2) comes_late(int *out) {
  __shared__ int s_value;
  const auto cluster = cooperative_groups::this_cluster();
  s_value = 3;
  cluster.sync();
  if (cluster.block_rank() == 1)
    return;
  __nanosleep(100);
  *out = *cluster.map_shared_rank(&s_value, 1);
}

__global__ void traps() {
  if (threadIdx.x == 7)
    __trap();
}

// All wait for the last block, which traps if `mark` is 0.
__global__ void waits_for_the_last(volatile int *flag, const int *mark, int *out) {
  const int begun_with = *mark;
  if (blockIdx.x == gridDim.x - 1) {
    if (begun_with == 0)
      __trap();
    *flag = 1;
  }
  while (*flag == 0) {
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = begun_with;
}

// Of all threads but the first the array lies where the stacks of others are.
__global__ void touches_one_of_many(int *out, int at) {
  int many[1 << 20];
  const int mine = threadIdx.x;
  __syncthreads();
  if (mine > 0) {
    const_cast<volatile int *>(many)[at] = mine;
    __syncthreads();
    out[mine] = const_cast<volatile int *>(many)[at];
  }
}

__global__ void prints(const char *text) { printf("(%s)", text); }

__global__ void divides(int *out, int by) { *out = 100 / by; }

__global__ void too_much_shared(int *out) {
  __shared__ int first[10 * 1024];
  __shared__ int second[10 * 1024];
  first[threadIdx.x] = second[threadIdx.x] = 1;
  out[0] = first[0];
}

__global__ void syncs_grid(unsigned leave_from) {
  if (blockIdx.x < leave_from)
    cooperative_groups::this_grid().sync();
}

__global__ void warps_of_a_tile(int exit_from) {
  const auto tile =
      cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
  if (static_cast<int>(threadIdx.x) >= exit_from)
    return;
  if (threadIdx.x != 5)
    tile.sync();
  else
    __syncthreads();
}

} // namespace

TEST_CASE("a box of a tensor begins at a multiple of 16 bytes, as on an H200") {
  alignas(128) static int memory[32 * 8];
  const cuuint64_t extent[] = {32, 8}, stride[] = {32 * sizeof(int)};
  const cuuint32_t box[] = {8, 2}, step[] = {1, 1};
  CUtensorMap map;
  REQUIRE(cuTensorMapEncodeTiled(&map,
                                 CU_TENSOR_MAP_DATA_TYPE_INT32,
                                 2,
                                 memory,
                                 extent,
                                 stride,
                                 box,
                                 step,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  for (const int column : {3, -5, -4}) { // a store may not begin at a negative place either
    stores_box<<<1, 1>>>(map, column);
    check_failure(cudaErrorIllegalInstruction);
  }
  for (const int column : {0, 40}) {
    stores_box<<<1, 1>>>(map, column);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
  }
}

TEST_CASE("shared memory of a block that has ended is not there") {
  int out = 0;
  for (int round = 0; round < 3; ++round) {
    comes_late<<<4, 40>>>(&out);
    check_failure(cudaErrorLaunchFailure);
  }
}

TEST_CASE("a deadlock is a launch failure") {
  waits_for_nobody<<<2, 64>>>();
  check_failure(cudaErrorLaunchFailure);
}

TEST_CASE(
    "a tile of several warps does not wait for threads that have exited, but for all others") {
  warps_of_a_tile<<<1, 128>>>(5);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  warps_of_a_tile<<<1, 128>>>(6);
  check_failure(cudaErrorLaunchFailure);
}

TEST_CASE("grid.sync() where it cannot work is a launch failure") {
  syncs_grid<<<4, 32>>>(4);
  check_failure(cudaErrorLaunchFailure);
  unsigned leave_from = 4;
  void *arguments[] = {&leave_from};
  CHECK(cudaLaunchCooperativeKernel(syncs_grid, 4, 64, arguments) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  leave_from = 3;
  CHECK(cudaLaunchCooperativeKernel(syncs_grid, 4, 1024, arguments) == cudaSuccess);
  check_failure(cudaErrorLaunchFailure);
}

TEST_CASE("an address that is no kernel cannot be launched") {
  const int no_kernel = 0;
  CHECK(cudaLaunchKernel(static_cast<const void *>(&no_kernel), 1, 1, nullptr) ==
        cudaErrorInvalidDeviceFunction);
  CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
}

TEST_CASE("a failed assert ends the launch, not the program") {
  asserts<<<4, 32>>>(32);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  asserts<<<4, 32>>>(31);
  check_failure(cudaErrorAssert);
}

TEST_CASE("__trap ends the launch") {
  traps<<<4, 32>>>();
  check_failure(cudaErrorLaunchFailure);
}

TEST_CASE("a launch may fail while blocks wait for the one that fails") {
  for (const unsigned blocks : {2u, 40u}) {
    CAPTURE(blocks);
    std::vector<int> out(blocks * 64, -1);
    int flag = 0, mark = 0;
    waits_for_the_last<<<blocks, 64>>>(&flag, &mark, out.data());
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaDeviceReset() == cudaSuccess);
    mark = 7; // the same kernel, on the stacks where others have waited
    waits_for_the_last<<<blocks, 64>>>(&flag, &mark, out.data());
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out == std::vector<int>(blocks * 64, 7));
  }
}

TEST_CASE("more static shared memory than a block has") {
  int out;
  too_much_shared<<<1, 32>>>(&out);
  check_failure(cudaErrorInvalidValue);
}

TEST_CASE("an asynchronous copy wants both addresses to be multiples of its bytes") {
  std::vector<float4> in(4);
  begins_float4<<<1, 1>>>(reinterpret_cast<float *>(in.data()), 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  begins_float4<<<1, 1>>>(reinterpret_cast<float *>(in.data()), 6);
  check_failure(cudaErrorMisalignedAddress);
}

// A sanitizer wants these signals for itself.
#if !defined(__SANITIZE_ADDRESS__) && !defined(EMU_SANITIZED)
TEST_CASE("an access to no memory at all is an illegal address, on any number of cores") {
  std::vector<int> out(1);
  for (const int blocks : {1, 100}) {
    far_outside<<<blocks, 64>>>(out.data(), 1L << 40);
    check_failure(cudaErrorIllegalAddress);
  }
}

TEST_CASE("an overrun of device memory harms nothing, and it is said by how much") {
  int *memory = nullptr, *neighbour = nullptr;
  REQUIRE(cudaMalloc(&memory, 4096) == cudaSuccess);
  REQUIRE(cudaMalloc(&neighbour, 4096) == cudaSuccess);
  for (const long offset : {2048l, 9000l, 17000l, -3000l}) { // within the guards: 64 KiB
    far_outside<<<1, 1>>>(memory, offset);
    check_failure(cudaErrorIllegalAddress);
    REQUIRE(cudaMalloc(&memory, 4096) == cudaSuccess);
  }
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("a thread that uses more than its stack ends the launch, not its neighbour") {
  int *out = nullptr;
  REQUIRE(cudaMallocManaged(&out, 64 * sizeof(int)) == cudaSuccess);
  digs_deep<<<1, 64>>>(out, 400);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  digs_deep<<<1, 64>>>(out, 700);
  check_failure(cudaErrorIllegalAddress);
}

TEST_CASE("a text that is nowhere ends the launch, and others can print") {
  for (const int blocks : {1, 100}) {
    prints<<<blocks, 4>>>(reinterpret_cast<const char *>(16));
    check_failure(cudaErrorIllegalAddress);
    std::thread([] { std::printf("%s", ""); }).join();
  }
}

TEST_CASE("nor does one whose array is larger than all that lies between two stacks") {
  int *out = nullptr;
  REQUIRE(cudaMallocManaged(&out, 64 * sizeof(int)) == cudaSuccess);
  for (const int at : {0, (1 << 20) - 1}) {
    touches_one_of_many<<<1, 64>>>(out, at);
    check_failure(cudaErrorIllegalAddress);
    REQUIRE(cudaMallocManaged(&out, 64 * sizeof(int)) == cudaSuccess);
  }
}

#ifdef __x86_64__ // an ARM processor minds neither of these
TEST_CASE("a float4 at an address that is no multiple of 16 is a misaligned address") {
  std::vector<float4> out(4);
  moves_float4<<<1, 1>>>(reinterpret_cast<float *>(out.data()), 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  moves_float4<<<1, 1>>>(reinterpret_cast<float *>(out.data()), 5);
  check_failure(cudaErrorMisalignedAddress);
}

TEST_CASE("an integer division by zero is a launch failure") {
  int out;
  volatile int zero = 0; // or the compiler, which sees it all, does the division
  divides<<<1, 1>>>(&out, zero);
  check_failure(cudaErrorLaunchFailure);
}
#endif
#endif
