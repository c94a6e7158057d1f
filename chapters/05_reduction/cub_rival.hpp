/// @file
/// The vendor's reduction. CUB comes with the CUDA toolkit; the emulator does not have it.
#pragma once

#include "problem.hpp"

#ifndef BUILD_FIRST_EMULATOR
void run_cub(Reduction &p);
void allocate_for_cub(Reduction &p); ///< the memory CUB asks for, outside the timed region
#endif
