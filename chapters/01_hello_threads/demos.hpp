#pragma once

#include "problem.hpp"

/// Registers what there is to see besides the table: hello, memories, ids, limits, device, clocks.
void add_demos(lab::Ladder<Points> &ladder);
