// CUB: see emu/cub_block.hpp.
#pragma once

#include "../../emu/cub_block.hpp"
