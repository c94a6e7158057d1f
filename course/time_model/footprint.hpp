/// \file
/// What of a launch's traffic comes from memory and goes there, from what a few blocks touched.
#pragma once

#include "simulate.hpp"

namespace model {

struct Footprint {
  double read_bytes = 0, written_bytes = 0; // different ones, of the whole launch
  Traffic traffic;
};

/// What a launch touches of an allocation.
struct TouchedBytes {
  uint64_t first = 0; // the lowest address of the followed blocks
  double read = 0, written = 0; // bytes, by all blocks, as far as there are any
};

/// For each of launch.touched.
std::vector<TouchedBytes> touched_bytes(const LaunchTrace &launch);

Footprint footprint(const LaunchTrace &launch, const Device &device, int blocks_per_sm, bool warm);

} // namespace model
