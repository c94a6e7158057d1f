// Types of the runtime.
#pragma once

#include "emu/driver_types.hpp"
#include "emu/texture_types.hpp"
