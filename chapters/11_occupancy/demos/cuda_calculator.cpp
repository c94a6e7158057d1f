#include "demos/cuda_calculator.hpp"

#include "calculator.hpp"
#include "problem.hpp"

#if defined(__has_include) && !defined(BUILD_FIRST_EMULATOR)
#if __has_include(<cuda_occupancy.h>)
#define HAVE_CUDA_CALCULATOR
#endif
#endif

#ifdef HAVE_CUDA_CALCULATOR

#include <cuda_occupancy.h>

namespace {

using occupancy::Launch;
using occupancy::Limits;

cudaOccDeviceProp properties_of(const Limits &limits) {
  cudaOccDeviceProp p;
  p.computeMajor = limits.major;
  p.computeMinor = limits.minor;
  p.maxThreadsPerBlock = occupancy::threads_per_block;
  p.maxThreadsPerMultiprocessor = limits.threads;
  p.regsPerBlock = limits.registers;
  p.regsPerMultiprocessor = limits.registers;
  p.warpSize = occupancy::warp_size;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = limits.shared;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = limits.shared_per_block;
  p.reservedSharedMemPerBlock = limits.shared_reserved;
  return p;
}

int cuda_blocks(const Limits &limits, const Launch &launch, int carveout) {
  const cudaOccDeviceProp properties = properties_of(limits);
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = occupancy::threads_per_block;
  kernel.numRegs = launch.registers;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = limits.shared_per_block;
  kernel.numBlockBarriers = launch.barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = carveout;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(
          &result, &properties, &kernel, &state, launch.threads, launch.shared) != CUDA_OCC_SUCCESS)
    throw lab::Error(1, "cuda_occupancy.h refuses a launch");
  return result.activeBlocksPerMultiprocessor;
}

} // namespace

TableProof compare_with_cuda_table(int step) {
  TableProof proof;
  for (int k = 0; k < occupancy::known_count; ++k) {
    const Limits &limits = occupancy::known_limits[k];
    for (int threads = 1; threads <= occupancy::threads_per_block; threads += step - 1)
      for (int registers = 1; registers <= occupancy::registers_per_thread; registers += 3)
        for (size_t shared = 0; shared <= limits.shared_per_block; shared += 977)
          for (int barriers : {1, 16}) {
            const Launch launch = {threads, registers, shared, barriers};
            const int carveout = barriers == 1 ? -1 : (threads + registers) % 102 - 1;
            const Limits carved = with_carveout(limits, carveout, launch);
            ++proof.launches;
            proof.different +=
                resident(carved, launch).blocks != cuda_blocks(limits, launch, carveout);
          }
  }
  return proof;
}

#else

TableProof compare_with_cuda_table(int) { return {}; }

#endif
