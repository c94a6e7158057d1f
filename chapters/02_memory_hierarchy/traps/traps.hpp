/// @file
/// The mistakes of this chapter, each wrong on purpose.
#pragma once

#include "problem.hpp"

void register_traps(lab::Ladder<SumOfSquares> &ladder);
