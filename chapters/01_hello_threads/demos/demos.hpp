#pragma once

#include "problem.hpp"

/// Registers what there is to see besides the table: hello, memories, ids, warps, limits, device,
/// block_sizes, divergence, rounding, clocks.
void add_demos(lab::Ladder<Points> &ladder);
