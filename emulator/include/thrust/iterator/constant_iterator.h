// Thrust: see emu/thrust_algorithms.hpp.
#pragma once

#include "../../emu/thrust_algorithms.hpp"
