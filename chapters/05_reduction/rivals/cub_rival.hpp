/// @file
/// The vendor's reduction. CUB comes with the CUDA toolkit; the emulator does not have it.
#pragma once

#include "problem.hpp"

#ifndef BUILD_FIRST_EMULATOR
void run_cub(Reduction &p);
/// Allocates what CUB asks for, and reads the input, as before every step. Not timed.
void prepare_cub(Reduction &p);
#endif
