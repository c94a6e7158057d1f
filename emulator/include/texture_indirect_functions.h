// Reading textures.
#pragma once

#include "emu/textures.hpp"
