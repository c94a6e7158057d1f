// The makers of vector types.
#pragma once

#include "emu/types.hpp"
