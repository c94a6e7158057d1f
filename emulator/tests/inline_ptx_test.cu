// Inline PTX that the emulator does not have (what it has: conformance/ptx_test.cu).
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <vector>

namespace {

// Behind a guard for GPUs that the emulator is older than, and in code that nobody calls.
__global__ void guarded(int *out) {
#if __CUDA_ARCH__ >= 1000
  asm volatile("wgmma.fence.sync.aligned;");
#endif
  out[threadIdx.x] = 1;
}
template <class T> __device__ T never_called(T x) {
  asm("wgmma.fence.sync.aligned;");
  return x;
}

__global__ void lanes(unsigned *out) {
  unsigned id, less, less_or_equal, equal, more, more_or_equal;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(less_or_equal));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(more));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(more_or_equal));
  const bool fit = (less | equal) == less_or_equal && (more | equal) == more_or_equal &&
                   (less ^ more_or_equal) == ~0u && (more ^ less_or_equal) == ~0u;
  out[threadIdx.x] = fit ? id * 100 + static_cast<unsigned>(__popc(less)) : 9999;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattribute-warning"
__global__ void live(int *out) {
  out[0] = 1;
  if (threadIdx.x == 3)
    asm volatile("wgmma.fence.sync.aligned;");
  out[1] = 1;
}
// An operand is missing, or there is one too many.
template <int instruction> __global__ void misfits(int *out) {
  if (instruction == 0)
    asm("add.s32 %0, %1;" : "=r"(out[0]) : "r"(out[1]));
  else if (instruction == 1)
    asm("popc.b32 %0, %1, %2;" : "=r"(out[0]) : "r"(out[1]), "r"(1));
  else
    asm("cp.async.bulk.commit_group %0;" : : "r"(out[1]));
}
#pragma GCC diagnostic pop

// How many registers a warp may have is no matter here; what a GPU refuses is.
template <int registers> __global__ void asks_for_registers(int *out) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
  out[0] = registers;
}

} // namespace

TEST_CASE("inline PTX that is not reached does no harm") {
  std::vector<int> out(4);
  guarded<<<1, 4>>>(out.data());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out == std::vector<int>(4, 1));
}

TEST_CASE("reads of the lane's number and masks work") {
  std::vector<unsigned> out(64);
  lanes<<<1, 64>>>(out.data());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (unsigned i = 0; i < 64; ++i)
    CHECK(out[i] == i % 32 * 100 + i % 32);
}

TEST_CASE("inline PTX that is reached ends the launch") {
  std::vector<int> out(2);
  live<<<1, 32>>>(out.data());
  CHECK(cudaDeviceSynchronize() == cudaErrorNotSupported);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("an instruction with a wrong number of operands ends the launch") {
  std::vector<int> out(2);
  for (const auto kernel : {misfits<0>, misfits<1>, misfits<2>}) {
    kernel<<<1, 1>>>(out.data());
    CHECK(cudaDeviceSynchronize() == cudaErrorNotSupported);
    CHECK(cudaDeviceReset() == cudaSuccess);
  }
}

TEST_CASE("setmaxnreg takes what a GPU takes") {
  std::vector<int> out(1);
  asks_for_registers<240><<<1, 32>>>(out.data());
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out[0] == 240);
  asks_for_registers<36><<<1, 32>>>(out.data());
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
  CHECK(cudaDeviceReset() == cudaSuccess);
}
