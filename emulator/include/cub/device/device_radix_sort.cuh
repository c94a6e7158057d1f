// CUB: see emu/cub/cub_sort.hpp.
#pragma once

#include "../../emu/cub/cub_sort.hpp"
