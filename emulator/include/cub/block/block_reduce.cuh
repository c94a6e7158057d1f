// CUB: see emu/cub/cub_block.hpp.
#pragma once

#include "../../emu/cub/cub_block.hpp"
