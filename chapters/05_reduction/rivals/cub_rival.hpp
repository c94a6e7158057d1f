/// @file
/// The vendor's reduction, to be measured against.
#pragma once

#include "problem.hpp"

void run_cub(Reduction &p);
/// Allocates what CUB asks for, and reads the input, as before every step. Not timed.
void prepare_cub(Reduction &p);
