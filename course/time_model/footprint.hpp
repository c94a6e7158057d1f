/// \file
/// What of a launch's traffic comes from memory and goes there, from what a few blocks touched.
#pragma once

#include "simulate.hpp"

namespace model {

struct Footprint {
  double read_bytes = 0, written_bytes = 0; // different ones, of the whole launch
  Traffic traffic;
};

Footprint footprint(const LaunchTrace &launch, const Device &device, int blocks_per_sm, bool warm);

} // namespace model
