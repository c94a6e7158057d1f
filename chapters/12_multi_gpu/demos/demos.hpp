/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Vectors> &ladder);
