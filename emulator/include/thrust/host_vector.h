// Thrust: see emu/thrust_memory.hpp.
#pragma once

#include "../emu/thrust_memory.hpp"
