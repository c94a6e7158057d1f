// Kernels as the runtime sees them: attributes, launch checks, occupancy.
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_map>

#include "context/api.hpp"
#include "emu/runtime/runtime_functions.hpp"
#include "emu/runtime/runtime_launch.hpp"
#include "engine/limits.hpp"
#include "engine/surroundings.hpp"
#include "engine/watcher.hpp"
#include "launches/cluster_checks.hpp"
#include "launches/launch_model.hpp"

namespace emu {
namespace {

struct Function {
  size_t static_shared = 0; // bytes
  size_t opted_in = 0; // bytes of dynamic shared memory, where has_opted_in
  bool has_opted_in = false;
  int carveout = cudaSharedmemCarveoutDefault; // percent
  Caller caller = nullptr; // of a kernel
  int most_threads = max_threads_per_block; // or fewer, by its __launch_bounds__
  int least_blocks = 0; // on an SM, by the same; 0: it asks for none
  dim3 cluster{0, 0, 0}; // that it asks for, blocks in each axis; 0: none
  bool cluster_is_compiled = false; // by its __cluster_dims__
  bool not_portable = false; // clusters that not all devices have
  int cluster_policy = cudaClusterSchedulingPolicyDefault;

  unsigned most_cluster_blocks() const {
    const auto portable = static_cast<unsigned>(device_limits().blocks_per_cluster);
    return not_portable && portable > 0 ? most_blocks_per_cluster : portable;
  }

  size_t most_dynamic_shared() const {
    return has_opted_in ? opted_in : shared_per_block - static_shared;
  }
};

struct Functions {
  std::mutex mutex;
  std::unordered_map<const void *, Function> by_address;
};

Functions &functions() {
  static Functions &made = *new Functions;
  return made;
}

Function look_up(const void *address) {
  Functions &f = functions();
  const std::lock_guard lock(f.mutex);
  const auto found = f.by_address.find(address);
  return found == f.by_address.end() ? Function{} : found->second;
}

/// For calls about a kernel.
cudaError_t function_call(const void *function, auto body) {
  return device_call([&] { return function == nullptr ? cudaErrorInvalidDeviceFunction : body(); });
}

/// The answer to a launch with a shape that no device takes: that of the CUDA 13.0 runtime, as
/// measured. (Before it was cudaErrorInvalidConfiguration, which says more.)
constexpr cudaError_t bad_shape = cudaErrorInvalidValue;

bool within(const dim3 &extent, const unsigned (&most)[3]) {
  const unsigned given[3] = {extent.x, extent.y, extent.z};
  for (int i = 0; i < 3; ++i)
    if (given[i] == 0 || given[i] > most[i])
      return false;
  return true;
}

unsigned long long volume(const dim3 &extent) {
  return static_cast<unsigned long long>(extent.x) * extent.y * extent.z;
}

/// CUDA's error does not say what is wrong.
void tell(const std::string &what) {
  const std::string place = runtime_watcher ? runtime_watcher->place_of_caller() : std::string();
  flush_output(); // so that it stands behind what the program has said before
  std::fprintf(
      stderr, "emulator: %s%s%s\n", place.c_str(), place.empty() ? "" : ": ", what.c_str());
}

void tell_of_bounds(unsigned long long threads, int most) {
  tell("a launch with " + std::to_string(threads) +
       " threads a block, where the kernel's __launch_bounds__ allow " + std::to_string(most));
}

void tell_of_shared(size_t dynamic_shared, const Function &kernel) {
  const std::string more = kernel.has_opted_in
                               ? ""
                               : ", up to " +
                                     std::to_string(block_shared_limit() - kernel.static_shared) +
                                     " by cudaFuncSetAttribute";
  tell("a launch with " + std::to_string(dynamic_shared) +
       " bytes of dynamic shared memory: its kernel gets " +
       std::to_string(kernel.most_dynamic_shared()) + more);
}

bool is_given(const dim3 &cluster) { return cluster.x != 0; }

cudaError_t check_cluster(const Function &kernel, const dim3 &grid, const dim3 &cluster) {
  const unsigned most = kernel.most_cluster_blocks();
  const std::string fault = fault_of_cluster(grid, cluster, kernel.cluster, most);
  if (fault.empty())
    return cudaSuccess;
  tell(fault);
  return most == 0 ? cudaErrorNotSupported : cudaErrorInvalidClusterSize;
}

cudaError_t check_launch(LaunchConfig &config, const void *function) {
  const Function known = look_up(function);
  const dim3 &grid = config.grid, &block = config.block;
  if (!within(grid, max_grid_extent) || !within(block, max_block_extent) ||
      volume(block) > max_threads_per_block)
    return bad_shape;
  if (volume(block) > static_cast<unsigned>(known.most_threads)) {
    tell_of_bounds(volume(block), known.most_threads);
    return cudaErrorInvalidValue; // as measured, too
  }
  if (config.dynamic_shared > known.most_dynamic_shared()) {
    tell_of_shared(config.dynamic_shared, known);
    return cudaErrorInvalidValue;
  }
  config.least_blocks = known.least_blocks;
  if (!is_given(config.cluster))
    config.cluster = known.cluster;
  return is_given(config.cluster) ? check_cluster(known, grid, config.cluster) : cudaSuccess;
}

/// What an SM gives to shared memory, in bytes, when blocks take `of_block` each: what the kernel
/// prefers, rounded up to a size that the device knows, and at least one block's. (CUDA C++ Programming Guide 13.0,
/// Compute Capabilities. Before 7.0 its size was fixed.)
size_t carved_shared(const DeviceLimits &device, const Function &function, size_t of_block) {
  const auto preferred = function.carveout < 0
                             ? device.shared_per_sm
                             : device.shared_per_sm * static_cast<size_t>(function.carveout) / 100;
  const size_t least = device.major < 7                         ? device.shared_per_sm
                       : device.major == 7 && device.minor == 5 ? 32 * 1024
                                                                : 0;
  for (const size_t kib : {0, 8, 16, 32, 64, 100, 132, 164, 196})
    if (kib * 1024 >= std::max({preferred, of_block, least}))
      return std::min(kib * 1024, device.shared_per_sm);
  return device.shared_per_sm;
}

/// Blocks resident on an SM at a time; 0 if not even one fits.
int resident_blocks(const Function &function, int block_size, size_t dynamic_shared) {
  if (block_size > max_threads_per_block || dynamic_shared > function.most_dynamic_shared())
    return 0;
  constexpr int warp = 32;
  const DeviceLimits &device = device_limits();
  const int warps = (block_size + warp - 1) / warp;
  const int by_threads = device.threads_per_sm / warp / warps;
  const int by_registers = device.registers_per_sm / (assumed_registers_per_thread * warp) / warps;
  const size_t used = function.static_shared + dynamic_shared + device.shared_reserved;
  const size_t shared = (used + device.shared_unit - 1) / device.shared_unit * device.shared_unit;
  const int by_shared = shared == 0
                            ? device.blocks_per_sm
                            : static_cast<int>(carved_shared(device, function, shared) / shared);
  return std::min({device.blocks_per_sm, by_threads, by_registers, by_shared});
}

} // namespace

cudaError_t validate_launch(LaunchConfig &config, const void *function) {
  return device_call([&] { return check_launch(config, function); });
}

cudaError_t validate_cooperative_launch(LaunchConfig config, const void *function) {
  return device_call([&] {
    if (const cudaError_t error = check_launch(config, function))
      return error;
    const auto resident = static_cast<unsigned long long>(resident_blocks(
        look_up(function), static_cast<int>(volume(config.block)), config.dynamic_shared));
    return volume(config.grid) > resident * static_cast<unsigned>(sm_count(current_device))
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
  });
}

void note_static_shared(const void *function, size_t bytes) {
  if (function == nullptr) // a kernel whose address is not known
    return;
  Functions &f = functions();
  const std::lock_guard lock(f.mutex);
  f.by_address[function].static_shared = bytes;
}

cudaError_t set_function_attribute(const void *function, cudaFuncAttribute attribute, int value) {
  return function_call(function, [&] {
    Functions &f = functions();
    const std::lock_guard lock(f.mutex);
    Function &kernel = f.by_address[function];
    unsigned *const axes[] = {&kernel.cluster.x, &kernel.cluster.y, &kernel.cluster.z};
    switch (attribute) {
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (value < 0 || (kernel.cluster_is_compiled &&
                        static_cast<unsigned>(value) !=
                            *axes[attribute - cudaFuncAttributeRequiredClusterWidth]))
        return cudaErrorInvalidValue; // as an H100 has answered
      *axes[attribute - cudaFuncAttributeRequiredClusterWidth] = static_cast<unsigned>(value);
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      if (value != 0 && value != 1)
        return cudaErrorInvalidValue;
      kernel.not_portable = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      if (value < cudaClusterSchedulingPolicyDefault ||
          value > cudaClusterSchedulingPolicyLoadBalancing)
        return cudaErrorInvalidValue;
      kernel.cluster_policy = value;
      return cudaSuccess;
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<size_t>(value) + kernel.static_shared > block_shared_limit()) {
        tell(std::to_string(value) + " bytes of dynamic shared memory beside " +
             std::to_string(kernel.static_shared) + " of static: a block of an " +
             device_limits().name + " gets " + std::to_string(block_shared_limit()) + " at most");
        return cudaErrorInvalidValue;
      }
      kernel.opted_in = static_cast<size_t>(value);
      kernel.has_opted_in = true;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
        return cudaErrorInvalidValue;
      kernel.carveout = value;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t get_function_attributes(cudaFuncAttributes *attributes, const void *function) {
  return function_call(function, [&] {
    if (attributes == nullptr)
      return cudaErrorInvalidValue;
    const Function kernel = look_up(function);
    *attributes = {};
    attributes->sharedSizeBytes = kernel.static_shared;
    attributes->maxThreadsPerBlock = kernel.most_threads;
    attributes->numRegs = assumed_registers_per_thread;
    attributes->ptxVersion = 10 * device_limits().major + device_limits().minor;
    attributes->binaryVersion = 10 * device_limits().major + device_limits().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel.most_dynamic_shared());
    attributes->preferredShmemCarveout = kernel.carveout;
    attributes->clusterDimMustBeSet = kernel.cluster_is_compiled;
    attributes->requiredClusterWidth = static_cast<int>(kernel.cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(kernel.cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(kernel.cluster.z);
    attributes->clusterSchedulingPolicyPreference = kernel.cluster_policy;
    attributes->nonPortableClusterSizeAllowed = kernel.not_portable;
    return cudaSuccess;
  });
}

cudaError_t set_function_cache_config(const void *function, cudaFuncCache config) {
  return function_call(function, [&] {
    return config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual
               ? cudaErrorInvalidValue
               : cudaSuccess;
  });
}

cudaError_t
max_active_blocks(int *blocks, const void *function, int block_size, size_t dynamic_shared) {
  return function_call(function, [&] {
    if (blocks == nullptr || block_size <= 0)
      return cudaErrorInvalidValue;
    LaunchModel *model = launch_model();
    *blocks = model ? model->resident_blocks(function, block_size, dynamic_shared) : -1;
    if (*blocks < 0)
      *blocks = resident_blocks(look_up(function), block_size, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t max_cluster_size(int *blocks, const void *function, const cudaLaunchConfig_t *config) {
  LaunchConfig read;
  if (const cudaError_t error = read_launch_config(read, config))
    return error;
  return function_call(function, [&] {
    if (blocks == nullptr)
      return cudaErrorInvalidValue;
    const Function kernel = look_up(function);
    if (const dim3 cluster = is_given(read.cluster) ? read.cluster : kernel.cluster;
        is_given(cluster))
      if (const cudaError_t error = check_cluster(kernel, read.grid, cluster))
        return error;
    const bool fits =
        resident_blocks(kernel, static_cast<int>(volume(read.block)), read.dynamic_shared) > 0;
    *blocks = fits ? static_cast<int>(kernel.most_cluster_blocks()) : 0;
    return cudaSuccess;
  });
}

cudaError_t
max_active_clusters(int *clusters, const void *function, const cudaLaunchConfig_t *config) {
  LaunchConfig read;
  if (const cudaError_t error = read_launch_config(read, config))
    return error;
  return function_call(function, [&] {
    if (clusters == nullptr)
      return cudaErrorInvalidValue;
    const Function kernel = look_up(function);
    const dim3 cluster = is_given(read.cluster)     ? read.cluster
                         : is_given(kernel.cluster) ? kernel.cluster
                                                    : dim3(1);
    if (const cudaError_t error = check_cluster(kernel, read.grid, cluster))
      return error;
    const int of_sm =
        resident_blocks(kernel, static_cast<int>(volume(read.block)), read.dynamic_shared);
    *clusters = of_sm * sm_count(current_device) / static_cast<int>(volume(cluster));
    return cudaSuccess;
  });
}

cudaError_t
available_dynamic_shared(size_t *bytes, const void *function, int blocks, int block_size) {
  return function_call(function, [&] {
    const Function kernel = look_up(function);
    if (bytes == nullptr || blocks <= 0 || block_size <= 0 ||
        blocks > resident_blocks(kernel, block_size, 0))
      return cudaErrorInvalidValue;
    // CUDA does not take off here what the system keeps for each block.
    const size_t share = device_limits().shared_per_sm / static_cast<size_t>(blocks);
    const size_t fits = share > kernel.static_shared ? share - kernel.static_shared : 0;
    *bytes = std::min(fits, kernel.most_dynamic_shared());
    return cudaSuccess;
  });
}

cudaError_t max_potential_block_size(int *min_grid_size,
                                     int *block_size,
                                     const void *function,
                                     BlockSizeToShared shared,
                                     int block_size_limit) {
  return function_call(function, [&] {
    if (min_grid_size == nullptr || block_size == nullptr)
      return cudaErrorInvalidValue;
    constexpr int warp = 32;
    const Function kernel = look_up(function);
    const int limit = block_size_limit <= 0 ? kernel.most_threads
                                            : std::min(block_size_limit, kernel.most_threads);
    int best_threads = 0;
    *block_size = 0;
    *min_grid_size = 0;
    // From the largest block down: of equal ones the largest wins. The limit itself need not be a
    // multiple of a warp, all smaller candidates are.
    for (int size = limit; size > 0; size = (size - 1) / warp * warp) {
      const int blocks = resident_blocks(kernel, size, shared.bytes(shared.context, size));
      if (blocks * size > best_threads) {
        best_threads = blocks * size;
        *block_size = size;
        *min_grid_size = blocks * sm_count(current_device);
      }
    }
    return cudaSuccess;
  });
}

void note_kernel(
    const void *kernel, Caller caller, int most_threads, int least_blocks, dim3 cluster) {
  Functions &f = functions();
  const std::lock_guard lock(f.mutex);
  Function &known = f.by_address[kernel];
  known.caller = caller;
  if (most_threads > 0)
    known.most_threads = std::min(most_threads, max_threads_per_block);
  known.least_blocks = least_blocks;
  known.cluster = cluster;
  known.cluster_is_compiled = is_given(cluster);
}

cudaError_t launch_noted(const void *kernel, const LaunchConfig &config, void **arguments) {
  if (const Caller caller = look_up(kernel).caller)
    return launch_by_call(kernel, config, [&] {
      configure(nullptr, config);
      caller(kernel, arguments);
    });
  std::fprintf(stderr,
               "emulator: a launch by function call of an address that is not known as a kernel's; "
               "try: pass the kernel itself, or cast it in the file that defines it\n");
  return set_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t read_launch_config(LaunchConfig &result, const cudaLaunchConfig_t *config) {
  return device_call([&] {
    if (config == nullptr || (config->numAttrs > 0 && config->attrs == nullptr))
      return cudaErrorInvalidValue;
    result = {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, false};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const cudaLaunchAttribute &attribute = config->attrs[i];
      const auto &cluster = attribute.val.clusterDim;
      if (attribute.id == cudaLaunchAttributeCooperative)
        result.cooperative = attribute.val.cooperative != 0;
      else if (attribute.id == cudaLaunchAttributeClusterDimension) {
        if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0)
          return cudaErrorInvalidClusterSize;
        result.cluster = {cluster.x, cluster.y, cluster.z};
      }
    }
    return cudaSuccess;
  });
}

LaunchOutcome::LaunchOutcome() : before_(take_last_error()) {}

cudaError_t LaunchOutcome::error() const {
  const cudaError_t own = cudaPeekAtLastError();
  if (own == cudaSuccess)
    set_error(before_);
  return own;
}

} // namespace emu
