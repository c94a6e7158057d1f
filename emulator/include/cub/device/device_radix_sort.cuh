// CUB: see emu/cub_sort.hpp.
#pragma once

#include "../../emu/cub_sort.hpp"
