// CUDA's mathematical functions beyond those of C++.
#pragma once

// Not <cmath> and <cstdlib>: nvcc brings the overloads of sqrt, abs and their like into the global
// namespace, and only these do.
#include <math.h>
#include <stdlib.h>

#include "emu/math/math_fast.hpp"
#include "emu/math/math_integer.hpp"
#include "emu/math/math_minmax.hpp"
#include "emu/math/math_parts.hpp"
#include "emu/math/math_rounded.hpp"
#include "emu/math/math_special.hpp"
