// CUB, as far as emu/cub_*.hpp have it.
#pragma once

#include "../emu/cub_moves.hpp"
#include "../emu/cub_utilities.hpp"
