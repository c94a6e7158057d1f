// The vector types.
#pragma once

#include "emu/language/types.hpp"
