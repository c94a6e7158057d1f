/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

void register_demos(lab::Ladder<Histogram> &ladder);
