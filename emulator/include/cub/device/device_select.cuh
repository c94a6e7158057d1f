// CUB: see emu/cub_device.hpp.
#pragma once

#include "../../emu/cub_device.hpp"
