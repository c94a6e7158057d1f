/// @file
/// The vendor's histogram, to be measured against.
#pragma once

#include "problem.hpp"

/// Gives CUB the memory it asks for. Not part of its time.
void allocate_for_cub(Histogram &p);

/// cub::DeviceHistogram::HistogramEven with 256 bins from 0 to 256.
void run_cub(Histogram &p);
