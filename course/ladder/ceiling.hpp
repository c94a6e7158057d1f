/// @file
/// What this device gives at best, its memory and its arithmetic, measured in this very process.
#pragma once

#include <cstddef>

namespace lab {

/// Which ceiling a step is held against.
enum class Ceiling {
  none, ///< neither bandwidth nor arithmetic to speak of
  copy, ///< reads and writes
  read, ///< reads only: a reduction, a histogram
  fma, ///< multiplies and adds floats, and waits for little else
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

/// Fused multiply-adds of floats outside the tensor cores, two operations each, in 10^12 a second:
/// eight independent chains in every thread, and threads that fill the device.
double measure_fma_tflops(int reps = 11);

/// The same, measured once per process.
double fma_tflops();

} // namespace lab
