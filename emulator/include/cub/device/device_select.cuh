// CUB: see emu/cub/cub_device.hpp.
#pragma once

#include "../../emu/cub/cub_device.hpp"
