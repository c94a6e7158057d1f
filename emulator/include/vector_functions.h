// The makers of vector types.
#pragma once

#include "emu/language/types.hpp"
