// Thrust: see emu/thrust/thrust_algorithms.hpp.
#pragma once

#include "../emu/thrust/thrust_algorithms.hpp"
