// Types of the runtime API.
#pragma once

#include "emu/runtime/driver_types.hpp"
