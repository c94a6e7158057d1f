/// @file
/// What this device's memory gives at best, measured in this very process.
#pragma once

#include <cstddef>

namespace lab {

/// Which ceiling a step is held against.
enum class Ceiling {
  none, ///< no bandwidth to speak of
  copy, ///< reads and writes
  read, ///< reads only: a reduction, a histogram
};

/// Measured bandwidths, in 10^9 bytes a second.
struct Ceilings {
  double copy_gbps = 0.0; ///< read + written, the better of a float4 kernel and cudaMemcpy
  double read_gbps = 0.0; ///< a kernel that reads 16 bytes at a time and writes next to nothing
  std::size_t bytes = 0; ///< size of each buffer
};

/// Measures both with buffers of this many bytes (a multiple of 16).
Ceilings measure_ceilings(std::size_t bytes, int reps = 11);

/// Both, measured once per process with buffers many times the L2, so that no cache helps.
const Ceilings &ceilings();

} // namespace lab
