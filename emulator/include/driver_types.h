// Types of the runtime API.
#pragma once

#include "emu/driver_types.hpp"
