// Kernels as the runtime sees them: attributes, occupancy, and what a launch may ask for.
//
// A kernel is known by its address. Its registers cannot be known on a CPU: 32 a thread are assumed
// throughout (the count with which 2048 threads just fit an SM).
#pragma once

#include "emu/engine/launch.hpp"
#include "emu/runtime/driver_types.hpp"

namespace emu {

/// Checks a launch as CUDA does, a sticky error first; records and returns what is wrong.
/// \param config    gets what the kernel's bounds ask for, and its clusters, if the launch asks for none
/// \param function  the kernel's address; null if unknown: no opt-in to more shared memory
cudaError_t validate_launch(LaunchConfig &config, const void *function);

/// Tells how many bytes of static `__shared__` memory a kernel uses. The engine knows when the
/// kernel has run; from then on attributes, occupancy and launch checks count them.
void note_static_shared(const void *function, size_t bytes);

cudaError_t set_function_attribute(const void *function, cudaFuncAttribute attribute, int value);
cudaError_t get_function_attributes(cudaFuncAttributes *attributes, const void *function);
cudaError_t set_function_cache_config(const void *function, cudaFuncCache config);
cudaError_t
max_active_blocks(int *blocks, const void *function, int block_size, size_t dynamic_shared);
cudaError_t
available_dynamic_shared(size_t *bytes, const void *function, int blocks, int block_size);

/// Dynamic shared memory, in bytes, that a block of the given size needs; a plain function for the
/// calculator behind cudaOccupancyMaxPotentialBlockSizeVariableSMem.
struct BlockSizeToShared {
  size_t (*bytes)(const void *context, int block_size);
  const void *context;
};
cudaError_t max_potential_block_size(int *min_grid_size,
                                     int *block_size,
                                     const void *function,
                                     BlockSizeToShared shared,
                                     int block_size_limit);

inline const void *address_of(auto *kernel) { return reinterpret_cast<const void *>(kernel); }

} // namespace emu

inline cudaError_t cudaFuncSetAttribute(auto *kernel, cudaFuncAttribute attribute, int value) {
  return emu::set_function_attribute(emu::address_of(kernel), attribute, value);
}
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, auto *kernel) {
  return emu::get_function_attributes(attributes, emu::address_of(kernel));
}
/// Checked and forgotten: there is no L1 cache to prefer.
inline cudaError_t cudaFuncSetCacheConfig(auto *kernel, cudaFuncCache config) {
  return emu::set_function_cache_config(emu::address_of(kernel), config);
}
inline cudaError_t cudaFuncSetSharedMemConfig(auto *, cudaSharedMemConfig) { return cudaSuccess; }

/// How many blocks of the kernel one SM can hold at a time.
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                 auto *kernel,
                                                                 int block_size,
                                                                 size_t dynamic_shared) {
  return emu::max_active_blocks(blocks, emu::address_of(kernel), block_size, dynamic_shared);
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, auto *kernel, int block_size, size_t dynamic_shared, unsigned int /*flags*/) {
  return emu::max_active_blocks(blocks, emu::address_of(kernel), block_size, dynamic_shared);
}
/// How many bytes of dynamic shared memory each of `blocks` blocks on one SM can have.
inline cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, auto *kernel, int blocks, int block_size) {
  return emu::available_dynamic_shared(bytes, emu::address_of(kernel), blocks, block_size);
}

/// The block size with the most threads resident on an SM, and the smallest grid that fills the
/// device with such blocks.
/// \param shared  callable: dynamic shared memory in bytes for a given block size
template <class Calculator>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *min_grid_size, int *block_size, auto *kernel, Calculator shared, int limit = 0) {
  const auto call = [](const void *context, int size) -> size_t {
    return (*const_cast<Calculator *>(static_cast<const Calculator *>(context)))(size);
  };
  return emu::max_potential_block_size(
      min_grid_size, block_size, emu::address_of(kernel), {call, &shared}, limit);
}
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid_size,
                                                                           int *block_size,
                                                                           auto *kernel,
                                                                           auto shared,
                                                                           int limit = 0,
                                                                           unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, shared, limit);
}
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *min_grid_size, int *block_size, auto *kernel, size_t shared = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      min_grid_size, block_size, kernel, [shared](int) { return shared; }, limit);
}
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid_size,
                                                               int *block_size,
                                                               auto *kernel,
                                                               size_t shared = 0,
                                                               int limit = 0,
                                                               unsigned int /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSize(min_grid_size, block_size, kernel, shared, limit);
}
