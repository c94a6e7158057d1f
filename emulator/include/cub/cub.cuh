// CUB, as far as emu/cub_device.hpp and emu/cub_block.hpp have it.
#pragma once

#include "../emu/cub_block.hpp"
#include "../emu/cub_device.hpp"
#include "../emu/cub_sort.hpp"
