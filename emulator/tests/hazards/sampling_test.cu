// What is looked at when only some blocks are, and what is seen after an access far from all memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include <cooperative_groups.h>

#include <observation/observe.hpp>

namespace {

__global__ void one_block_overruns(int *out, int wrong) {
  if (threadIdx.x == 0)
    out[static_cast<int>(blockIdx.x) == wrong ? 256 : blockIdx.x] = 1;
}

__global__ void first_reads_of_the_second(int *out) {
  out[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0)
    out[0] = out[1];
}

__global__ void goes_wild(int *out, long offset) { out[offset] = out[offset] + 1; }

// Each lane of the warp has written, and meets itself more often than 16 bits count.
__global__ void meets_itself(int *out) {
  __shared__ int s_value[32];
  const unsigned lane = threadIdx.x;
  s_value[lane] = lane;
  for (int i = 0; i < 70000 && lane == 0; ++i)
    __syncwarp(1);
  out[lane] = s_value[lane ^ 1];
}

/// Stores in the eight blocks that are counted if none are drawn.
__global__ void stores_where_it_counts(int *out) {
  for (int i = 0; i < 8; ++i)
    if (static_cast<int>(blockIdx.x) == i * 255 / 7)
      out[blockIdx.x] = 1;
}

uint64_t stores_counted(const char *draw) {
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 256 * sizeof(int)) == cudaSuccess);
  setenv("EMU_OBSERVE_DRAW", draw, 1);
  emu::start_observing();
  stores_where_it_counts<<<256, 1>>>(out);
  const emu::Observation seen = emu::stop_observing();
  unsetenv("EMU_OBSERVE_DRAW");
  CHECK(cudaFree(out) == cudaSuccess);
  REQUIRE(seen.kernels.size() == 1);
  CHECK(seen.kernels[0].blocks_traced == 8);
  return seen.kernels[0].total(emu::Access::global_store).requests;
}

emu::Observation observe_overrun(int wrong) {
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 256 * sizeof(int)) == cudaSuccess);
  emu::start_observing();
  one_block_overruns<<<256, 32>>>(out, wrong);
  emu::Observation seen = emu::stop_observing();
  CHECK(cudaFree(out) == cudaSuccess);
  return seen;
}

} // namespace

TEST_CASE("of a launch that is sampled only the blocks asked for are looked at, and that is said") {
  CHECK(observe_overrun(100).find("out_of_bounds"));
  setenv("EMU_OBSERVE_BLOCKS", "2", 1); // the first and the last
  const emu::Observation sampled = observe_overrun(100);
  CHECK(!sampled.find("out_of_bounds"));
  const emu::Hazard *said = sampled.find("unobserved");
  REQUIRE(said);
  CHECK(said->message.find("2 of 256 blocks were looked at") != std::string::npos);
  CHECK(observe_overrun(255).find("out_of_bounds"));
  unsetenv("EMU_OBSERVE_BLOCKS");
}

TEST_CASE("behind a barrier of the grid there is what blocks wrote that are not looked at") {
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 4 * sizeof(int)) == cudaSuccess);
  void *parameters[] = {&out};
  setenv("EMU_OBSERVE_BLOCKS", "2", 1);
  emu::start_observing();
  CHECK(cudaLaunchCooperativeKernel(first_reads_of_the_second, 4, 1, parameters) == cudaSuccess);
  const emu::Observation sampled = emu::stop_observing();
  unsetenv("EMU_OBSERVE_BLOCKS");
  CHECK(sampled.find("unobserved"));
  CHECK(sampled.hazards.size() == 1);
  CHECK(cudaFree(out) == cudaSuccess);
}

TEST_CASE("which blocks are counted is drawn where a seed is given") {
  CHECK(stores_counted("0") == 8);
  CHECK(stores_counted("1") < 8);
  CHECK(stores_counted("1") == stores_counted("1"));
}

TEST_CASE("clocks count all meetings of a long kernel") {
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 256 * sizeof(int)) == cudaSuccess);
  const std::string limit = std::getenv("EMU_STEP_LIMIT");
  setenv("EMU_STEP_LIMIT", "100000000", 1);
  emu::start_observing();
  meets_itself<<<1, 32>>>(out);
  const emu::Observation seen = emu::stop_observing();
  setenv("EMU_STEP_LIMIT", limit.c_str(), 1);
  CHECK(seen.find("shared_race"));
  CHECK(!seen.find("endless_loop"));
  cudaFree(out);
}

TEST_CASE("what cannot be freed any more is no leak") {
  emu::start_observing();
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 256 * sizeof(int)) == cudaSuccess);
  goes_wild<<<1, 1>>>(out, 1l << 56); // no address at all
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaFree(out) == cudaErrorIllegalAddress);
  const emu::Observation seen = emu::stop_observing();
  CHECK(seen.find("out_of_bounds"));
  CHECK(!seen.find("leak"));
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("what a program does after an access far outside of all memory is seen, too") {
  emu::start_observing();
  int *out = nullptr;
  REQUIRE(cudaMalloc(&out, 256 * sizeof(int)) == cudaSuccess);
  constexpr long empty = 0x300000000000; // programs, libraries and stacks lie elsewhere
  goes_wild<<<1, 1>>>(out, (empty - reinterpret_cast<long>(out)) / 4);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  one_block_overruns<<<256, 32>>>(out, 7);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaFree(out) == cudaSuccess);
  const emu::Observation seen = emu::stop_observing();
  CHECK(seen.kernels.size() == 2);
  CHECK(!seen.find("host_pointer"));
  CHECK(std::count_if(seen.hazards.begin(), seen.hazards.end(), [](const emu::Hazard &hazard) {
          return hazard.kind == "out_of_bounds";
        }) == 3); // a read, a write, and one of the second kernel
}
