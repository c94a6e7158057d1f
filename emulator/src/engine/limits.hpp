// The emulated device's limits: those of an A100 (compute capability 8.0).
#pragma once

#include <cstddef>

namespace emu {

constexpr int compute_major = 8;
constexpr int compute_minor = 0;
constexpr int usual_sm_count = 108;
constexpr int max_threads_per_sm = 2048;
constexpr int max_blocks_per_sm = 32;
constexpr int max_threads_per_block = 1024;
constexpr unsigned max_block_extent[3] = {1024, 1024, 64};
constexpr unsigned max_grid_extent[3] = {2147483647, 65535, 65535};
constexpr int registers_per_sm = 65536;
constexpr int registers_per_block = 65536;
constexpr int assumed_registers_per_thread = 32;

// Shared memory, in bytes. A block gets 48 KiB unless its kernel opts in to more; of what an SM
// has, the system keeps 1 KiB for each resident block.
constexpr size_t shared_per_block = 48 * 1024;
constexpr size_t shared_per_block_optin = 163 * 1024;
constexpr size_t shared_per_sm = 164 * 1024;
constexpr size_t shared_reserved_per_block = 1024;

constexpr size_t constant_memory = 64 * 1024;
constexpr int l2_cache = 40 * 1024 * 1024;
constexpr size_t pitch_alignment = 512;

/// Multiprocessors: the usual count, or what EMU_SMS says. Nothing runs on them; programs choose
/// their grids by it. Asked anew each time, so that a checker can play one device after the other.
int sm_count();

/// Shared memory that a block can opt in to: the usual size, or what EMU_SHARED_KB says, asked anew, too.
size_t block_shared_limit();

/// Of a CUDA thread's stack, in KiB: what a GPU gives of local memory at most, or what EMU_STACK_KB says.
struct StackSize {
  int usual;
  int least; // where the process may not have as many addresses
};
StackSize stack_kb();

} // namespace emu
