// Thrust: see emu/thrust/thrust_memory.hpp.
#pragma once

#include "../emu/thrust/thrust_memory.hpp"
