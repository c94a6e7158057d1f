// Launching through a function call instead of `<<<>>>`.
#pragma once

#include <type_traits>
#include <utility>

#include "emu/launch.hpp"
#include "emu/runtime_functions.hpp"

namespace emu {

/// Collects the error of one launch, without losing what was recorded before it.
class LaunchOutcome {
public:
  LaunchOutcome();
  cudaError_t error() const;

private:
  cudaError_t before_;
};

/// CUDA refuses a cooperative grid whose blocks cannot all be resident at once.
cudaError_t validate_cooperative_launch(const dim3 &grid,
                                        const dim3 &block,
                                        size_t dynamic_shared,
                                        const void *function);

template <class... P, size_t... I>
inline cudaError_t launch_with_pointers(void (*kernel)(P...),
                                        const LaunchConfig &config,
                                        [[maybe_unused]] void **arguments,
                                        std::index_sequence<I...>) {
  const LaunchOutcome outcome;
  launch(
      "cudaLaunchKernel",
      address_of(kernel),
      config,
      [kernel](auto &...values) { kernel(values...); },
      *static_cast<std::remove_cv_t<P> *>(arguments[I])...);
  return outcome.error();
}

} // namespace emu

/// \param arguments  one pointer to each of the kernel's arguments
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...),
                                    dim3 grid,
                                    dim3 block,
                                    void **arguments,
                                    size_t dynamic_shared = 0,
                                    cudaStream_t stream = nullptr) {
  return emu::launch_with_pointers(
      kernel, {grid, block, dynamic_shared, stream}, arguments, std::index_sequence_for<P...>{});
}

/// The whole grid is checked to fit the device, as CUDA does.
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...),
                                               dim3 grid,
                                               dim3 block,
                                               void **arguments,
                                               size_t dynamic_shared = 0,
                                               cudaStream_t stream = nullptr) {
  const cudaError_t fits =
      emu::validate_cooperative_launch(grid, block, dynamic_shared, emu::address_of(kernel));
  if (fits != cudaSuccess)
    return fits;
  return cudaLaunchKernel(kernel, grid, block, arguments, dynamic_shared, stream);
}

// A kernel behind an untyped pointer cannot be called on a CPU, which must know the types of its
// arguments. Such calls must not compile.
#define EMU_UNTYPED \
  __attribute__((unavailable("the CPU emulator needs the kernel's own type here: " \
                             "pass the kernel itself, without a cast to void *")))
EMU_UNTYPED cudaError_t
cudaLaunchKernel(const void *kernel, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
EMU_UNTYPED cudaError_t cudaLaunchCooperativeKernel(
    const void *kernel, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr);
#undef EMU_UNTYPED
