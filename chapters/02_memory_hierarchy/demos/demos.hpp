/// @file
/// What the chapter shows besides its table: the kinds of memory, one by one, and the clocks.
#pragma once

#include "problem.hpp"

void register_demos(lab::Ladder<SumOfSquares> &ladder);
