/// @file
/// How many blocks a multiprocessor holds at a time, and which of its limits says so. The course's time model
/// reckons with it, too.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace occupancy {

using std::size_t;

/// What a multiprocessor of one kind has, and in which units it is given out.
struct Limits {
  const char *example; ///< a GPU that has it
  int major, minor; ///< compute capability
  int threads; ///< resident at a time
  int blocks;
  int registers; ///< of 32 bits
  size_t shared; ///< bytes
  size_t shared_per_block; ///< bytes, for a kernel that opts in
  size_t shared_reserved; ///< bytes that the system keeps of it for each block
  size_t shared_unit; ///< bytes: a block's shared memory is rounded up to a multiple
  int barriers; ///< 0 where CUDA's own calculator does not count them
};

/// A warp's registers are rounded up to a multiple of this: 8 for each of its 32 threads.
constexpr int register_unit = 256;
constexpr int warp_size = 32;
/// A multiprocessor has four parts, each with a quarter of the registers; a warp lives in one of them.
constexpr int partitions = 4;
constexpr int threads_per_block = 1024; ///< at most
constexpr int registers_per_thread = 255; ///< at most

/// What one launch asks for.
struct Launch {
  int threads; ///< of a block
  int registers; ///< of a thread
  size_t shared; ///< bytes of a block: static and dynamic together
  int barriers = 1; ///< of a block: __syncthreads() needs one
};

/// Blocks by a limit that a launch does not touch, such as shared memory when it uses none.
constexpr int no_limit = std::numeric_limits<int>::max();

/// What becomes of it on one multiprocessor.
struct Resident {
  int by_threads, by_blocks, by_registers, by_shared, by_barriers; ///< blocks, by each limit alone
  int blocks; ///< the least of them; 0 when not even one fits
  int warps;
  double percent; ///< of the warps that the multiprocessor could hold: the occupancy
  std::string limit; ///< what says so, and all of them where several say the same
};

/// All kinds that the course speaks of, and how many there are.
///
/// Source: CUDA C++ Programming Guide 13.0, table "Technical Specifications per Compute Capability":
/// threads, blocks, registers, shared memory. Units, what is reserved, and barriers: the calculator
/// that comes with the toolkit, cuda_occupancy.h, which counts barriers from 9.0 on.
extern const Limits known_limits[];
extern const int known_count;

/// The kind of this compute capability; null if it is not in the table.
const Limits *find_limits(int major, int minor);

/// Of this program's device: its own answers, and the units of its generation.
Limits device_limits();

Resident resident(const Limits &limits, const Launch &launch);

/// The limits for a kernel that prefers `percent` of the shared memory, and the rest as L1 cache
/// (cudaFuncAttributePreferredSharedMemoryCarveout; -1: it does not care). The hardware knows a few
/// sizes: the next larger one is taken, and one that is large enough for a block at any rate.
Limits with_carveout(const Limits &limits, int percent, const Launch &launch);

/// A table for people: a line for each known kind, and the blocks by each of its limits.
std::string table_text(const Launch &launch);

} // namespace occupancy
