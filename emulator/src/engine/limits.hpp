// The emulated device's limits: what its description says, and what is the same for all.
#pragma once

#include <cstddef>

namespace emu {

constexpr int max_threads_per_block = 1024;
constexpr unsigned max_block_extent[3] = {1024, 1024, 64};
constexpr unsigned max_grid_extent[3] = {2147483647, 65535, 65535};
constexpr int registers_per_block = 65536;
constexpr int assumed_registers_per_thread = 32;

// Shared memory, in bytes. A block gets 48 KiB unless its kernel opts in to more.
constexpr size_t shared_per_block = 48 * 1024;
constexpr size_t most_shared_per_block = 227 * 1024; // of all devices

// Blocks of a cluster where a kernel allows what is not portable (NVIDIA Hopper Tuning Guide, Thread Block Clusters).
constexpr unsigned most_blocks_per_cluster = 16;

constexpr size_t constant_memory = 64 * 1024;
constexpr size_t pitch_alignment = 512;

/// A device as emulator/devices/KEY.json describes it; CMake makes a table of these files.
struct DeviceLimits {
  const char *key, *name;
  int major, minor; // compute capability
  int sms;
  int threads_per_sm, blocks_per_sm, registers_per_sm;
  size_t shared_per_sm, shared_optin; // bytes; of a block whose kernel opts in
  size_t shared_reserved,
      shared_unit; // bytes: kept by the system for each block; given out in multiples
  int blocks_per_cluster; // 0: has no clusters
  int l2_cache; // bytes
  int memory_bus_bits;
  double memory_peak_gbps;
  int fp32_per_cycle, fp64_per_cycle; // of an SM
};

/// The device that EMU_DEVICE names, an H200 if it names none. Asked anew each time, so that a program can play one
/// device after the other; what it is compiled for stays.
const DeviceLimits &device_limits();

/// Bytes of the L2 that may be set aside for data that persist.
constexpr size_t persisting_l2(const DeviceLimits &device) {
  return static_cast<size_t>(device.l2_cache) / 4 * 3;
}

/// Multiprocessors of a device: as many as it has, or what EMU_SMS says, or EMU_SMS_0 of device 0 alone. Nothing runs on
/// them; programs choose their grids by it. Asked anew each time, too.
int sm_count(int device);

/// Shared memory that a block can opt in to: the device's, or what EMU_SHARED_KB says, asked anew, too.
size_t block_shared_limit();

/// Of a CUDA thread's stack, in KiB: what a GPU gives of local memory at most, or what EMU_STACK_KB says.
struct StackSize {
  int usual;
  int least; // where the process may not have as many addresses
};
StackSize stack_kb();

} // namespace emu
