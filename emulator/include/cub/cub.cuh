// CUB, as far as emu/cub_*.hpp have it.
#pragma once

#include "../emu/cub/cub_moves.hpp"
#include "../emu/cub/cub_utilities.hpp"
