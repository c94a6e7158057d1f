#include "common/check.hpp"

#include "common/device.hpp"

#include <cstdio>
#include <new>

namespace lab {
namespace {

std::string describe(cudaError_t code, const char *what, const char *file, int line) {
  std::string text = std::string(file) + ":" + std::to_string(line) + ": " + what + "\n  " +
                     cudaGetErrorName(code) + ": " + cudaGetErrorString(code);
  const char *advice = advice_for(code);
  if (*advice)
    text += std::string("\n  try: ") + advice;
  return text;
}

} // namespace

CudaError::CudaError(cudaError_t code, const char *what, const char *file, int line)
    : Error(1, describe(code, what, file, line)), code_(code) {}

const char *advice_for(cudaError_t code) noexcept {
  switch (code) {
  case cudaErrorInvalidValue:
    return "check sizes, pointers and the direction of the copy; of a launch: 1 to 1024 threads a "
           "block, no empty grid, and over 48 KB of dynamic shared memory only after "
           "cudaFuncSetAttribute";
  case cudaErrorInvalidSymbol:
    return "the variable itself, and not an address or an element of it: where in it a copy begins "
           "is the fourth argument, in bytes";
  case cudaErrorMemoryAllocation:
    return "a smaller --n; nvidia-smi shows what else uses the device's memory";
  case cudaErrorInvalidConfiguration:
    return "at least 1 and at most 1024 threads per block (1024, 1024, 64 by dimension), and no "
           "empty grid";
  case cudaErrorInvalidResourceHandle:
    return "a stream or event that was made, and is not destroyed yet";
  case cudaErrorInvalidDevicePointer:
    return "free each pointer once, and only what cudaMalloc returned";
  case cudaErrorIllegalAddress:
    return "compute-sanitizer ./program names the kernel, the line and the thread; is an index "
           "tested against n?";
  case cudaErrorMisalignedAddress:
    return "a float4 or int4 must be read at an address divisible by 16";
  case cudaErrorLaunchOutOfResources:
    return "fewer threads per block, or __launch_bounds__(threads) on the kernel: it needs too "
           "many registers";
  case cudaErrorLaunchTimeout:
    return on_emulator() ? "the hazard endless_loop names the loop that the emulator ended"
                         : "less work per launch: the display driver stops kernels that run for "
                           "seconds";
  case cudaErrorLaunchFailure:
    return "compute-sanitizer ./program; does every thread of a block reach every "
           "__syncthreads()?";
  case cudaErrorAssert:
    return "read the line above: an assert() inside a kernel did not hold";
  case cudaErrorNoKernelImageForDevice:
    return "build for this GPU: -DCMAKE_CUDA_ARCHITECTURES=native";
  case cudaErrorInsufficientDriver:
    return "a newer NVIDIA driver, or an older CUDA toolkit";
  case cudaErrorNoDevice:
    return "nvidia-smi lists the GPUs; CUDA_VISIBLE_DEVICES may hide them";
  default:
    return "";
  }
}

int guarded_main(int (*body)(int, char **), int argc, char **argv) {
  try {
    return body(argc, argv);
  } catch (const Error &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  } catch (const std::bad_alloc &) {
    std::fflush(stdout);
    std::fprintf(stderr, "out of host memory: try a smaller --n\n");
    return 1;
  } catch (const std::exception &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

namespace detail {

void throw_cuda_error(cudaError_t code, const char *what, const char *file, int line) {
  throw CudaError(code, what, file, line);
}
void throw_error(const char *message) { throw Error(1, message); }

} // namespace detail
} // namespace lab
