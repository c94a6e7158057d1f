// A block that takes too long, by the watchdog's clock. Run with EMU_TIMEOUT=1: shorter, and a busy machine ends what is right, too.
#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <observation/observe.hpp>

namespace {

__global__ void waits_for_ever(volatile int *flag) {
  while (*flag == 0) { // the line
  }
}
constexpr int line = __LINE__ - 3;

__global__ void answers(int *out) { *out = 42; }

} // namespace

TEST_CASE("the instruments name the line of a loop that the watchdog ends, and go on") {
  setenv("EMU_STEP_LIMIT", "1000000000000", 1);
  int *memory = nullptr;
  REQUIRE(cudaMallocManaged(&memory, sizeof *memory) == cudaSuccess);
  *memory = 0;
  emu::start_observing();
  waits_for_ever<<<1, 64>>>(memory);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  const emu::Observation late = emu::stop_observing();
  unsetenv("EMU_STEP_LIMIT");
  REQUIRE(late.hazards.size() == 1);
  const emu::Hazard &hazard = late.hazards[0];
  CHECK(hazard.kind == "endless_loop");
  CHECK(hazard.kernel == "waits_for_ever");
  CHECK(hazard.here.where.line == line);
  CHECK(hazard.message.find("EMU_TIMEOUT") != std::string::npos);

  REQUIRE(cudaDeviceReset() == cudaSuccess);
  REQUIRE(cudaMallocManaged(&memory, sizeof *memory) == cudaSuccess);
  emu::start_observing();
  answers<<<1, 1>>>(memory);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(emu::stop_observing().hazards.empty());
  CHECK(*memory == 42);
  CHECK(cudaFree(memory) == cudaSuccess);
}
