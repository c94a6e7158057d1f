// The vector types.
#pragma once

#include "emu/types.hpp"
