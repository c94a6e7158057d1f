// Launching through a function call instead of `<<<>>>`.
#pragma once

#include <type_traits>
#include <utility>

#include "emu/engine/launch.hpp"
#include "emu/runtime/runtime_functions.hpp"

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
cudaError_t validate_cooperative_launch(LaunchConfig config, const void *function);

/// Starts a kernel with one call of emu::launch.
inline cudaError_t
launch_by_call(const void *function, const LaunchConfig &config, const auto &start) {
  if (config.cooperative) {
    const cudaError_t fits = validate_cooperative_launch(config, function);
    if (fits != cudaSuccess)
      return fits;
  }
  const LaunchOutcome outcome;
  start();
  return outcome.error();
}

/// \name Kernels behind untyped pointers
/// To call a function, a CPU must know the types of its arguments: a kernel that may become such a pointer is noted before
/// main(), and so is one with bounds.
/// @{
using Caller = void (*)(const void *kernel, void **arguments);
/// \param most_threads  of a block: its __launch_bounds__; 0: it has none
/// \param least_blocks  on an SM: their second number; 0: there is none
/// \param cluster  its __cluster_dims__; 0: it has none
void note_kernel(
    const void *kernel, Caller caller, int most_threads, int least_blocks, dim3 cluster);
/// cudaErrorInvalidDeviceFunction, and a message, for an address that nobody has noted.
cudaError_t launch_noted(const void *kernel, const LaunchConfig &config, void **arguments);

template <class... P, size_t... I>
inline void call_with_pointers(const void *kernel,
                               [[maybe_unused]] void **arguments,
                               std::index_sequence<I...>) {
  reinterpret_cast<void (*)(P...)>(const_cast<void *>(kernel))(
      *static_cast<std::remove_cv_t<std::remove_reference_t<P>> *>(arguments[I])...);
}

template <class... P>
inline bool known_kernel(void (*kernel)(P...), int most_threads, int least_blocks, dim3 cluster) {
  const auto call = [](const void *address, void **arguments) {
    call_with_pointers<P...>(address, arguments, std::index_sequence_for<P...>{});
  };
  note_kernel(address_of(kernel), call, most_threads, least_blocks, cluster);
  return true;
}
/// \param cluster  what stands in its __cluster_dims__
template <unsigned... cluster> constexpr dim3 cluster_dims() {
  if constexpr (sizeof...(cluster) == 0)
    return {0, 0, 0};
  else
    return {cluster...};
}
/// A kernel that is noted mentions it.
template <auto kernel, int most_threads = 0, int least_blocks = 0, unsigned... cluster>
[[maybe_unused]] static const bool
    noted_kernel = known_kernel(kernel, most_threads, least_blocks, cluster_dims<cluster...>());
/// @}

} // namespace emu

/// \param kernel  the kernel, or an untyped pointer to it
/// \param arguments  one pointer to each of the kernel's arguments
inline cudaError_t cudaLaunchKernel(auto *kernel,
                                    dim3 grid,
                                    dim3 block,
                                    void **arguments,
                                    size_t dynamic_shared = 0,
                                    cudaStream_t stream = nullptr) {
  return emu::launch_noted(
      emu::address_of(kernel), {grid, block, dynamic_shared, stream, false}, arguments);
}
/// All blocks live at the same time, so they can wait for each other: grid.sync(). The whole grid
/// is checked to fit the device, as CUDA does.
inline cudaError_t cudaLaunchCooperativeKernel(auto *kernel,
                                               dim3 grid,
                                               dim3 block,
                                               void **arguments,
                                               size_t dynamic_shared = 0,
                                               cudaStream_t stream = nullptr) {
  return emu::launch_noted(
      emu::address_of(kernel), {grid, block, dynamic_shared, stream, true}, arguments);
}

// ----------------------------------------------------------------- launches with attributes

enum cudaLaunchAttributeID : unsigned int {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8,
};

enum cudaClusterSchedulingPolicy : int {
  cudaClusterSchedulingPolicyDefault = 0,
  cudaClusterSchedulingPolicySpread = 1,
  cudaClusterSchedulingPolicyLoadBalancing = 2,
};

union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative;
  int priority;
  int programmaticStreamSerializationAllowed;
  cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
  struct {
    unsigned int x, y, z;
  } clusterDim;
};

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};

namespace emu {

/// What the attributes ask for. Those about speed are ignored.
cudaError_t read_launch_config(LaunchConfig &result, const cudaLaunchConfig_t *config);

cudaError_t max_cluster_size(int *blocks, const void *function, const cudaLaunchConfig_t *config);
cudaError_t
max_active_clusters(int *clusters, const void *function, const cudaLaunchConfig_t *config);

} // namespace emu

/// Of how many blocks the kernel's clusters can be.
inline cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *blocks, auto *kernel, const cudaLaunchConfig_t *config) {
  return emu::max_cluster_size(blocks, emu::address_of(kernel), config);
}
/// How many clusters the device can hold at a time, if any multiprocessors can hold one together: on a GPU they have
/// to be of one group (GPC), so that it may be fewer.
inline cudaError_t
cudaOccupancyMaxActiveClusters(int *clusters, auto *kernel, const cudaLaunchConfig_t *config) {
  return emu::max_active_clusters(clusters, emu::address_of(kernel), config);
}

template <class... P, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                      void (*kernel)(P...),
                                      Arguments &&...arguments) {
  emu::LaunchConfig read;
  if (const cudaError_t error = emu::read_launch_config(read, config))
    return error;
  return emu::launch_by_call(emu::address_of(kernel), read, [&] {
    emu::configure(nullptr, read);
    kernel(std::forward<Arguments>(arguments)...);
  });
}
inline cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *config, auto *kernel, void **arguments) {
  emu::LaunchConfig read;
  const cudaError_t error = emu::read_launch_config(read, config);
  return error != cudaSuccess ? error : emu::launch_noted(emu::address_of(kernel), read, arguments);
}
