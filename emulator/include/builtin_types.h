// Types of the runtime.
#pragma once

#include "emu/runtime/driver_types.hpp"
#include "emu/textures/texture_types.hpp"
