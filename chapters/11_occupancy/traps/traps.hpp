/// @file
/// The mistakes of this chapter, each in a file of its own.
#pragma once

#include "problem.hpp"

/// Adds all traps to the ladder, each with the smallest input that shows it.
void register_traps(lab::Ladder<Readings> &ladder);
