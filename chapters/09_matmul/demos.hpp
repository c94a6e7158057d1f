/// @file
/// What the chapter shows besides its table: the precision lab, and all shapes.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Matmul> &ladder);

void show_precision(lab::Demo &demo); ///< every way of adding up, against an exact sum
void show_cancellation(lab::Demo &demo); ///< sums that are small beside their terms
void show_fast_math(lab::Demo &demo); ///< the same code, compiled twice
void show_intrinsics(lab::Demo &demo); ///< the fast functions beside the accurate ones
void show_tf32(lab::Demo &demo); ///< what tensor cores do to the factors
void show_shapes(lab::Demo &demo); ///< ragged shapes and gaps between rows, in every step
