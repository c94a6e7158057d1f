/// @file
/// The vendor's scan, to be measured against.
#pragma once

#include "problem.hpp"

/// Gives CUB the memory it asks for. Not part of its time.
void allocate_for_cub(Scan &p);

/// cub::DeviceScan::InclusiveSum.
void run_cub(Scan &p);
