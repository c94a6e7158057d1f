/// @file
/// What there is to see besides the table.
#pragma once

#include "problem.hpp"

/// Registers bank_map, strides, broadcast, reduction_rounds and shared_limit.
void register_demos(lab::Ladder<Transpose> &ladder);
