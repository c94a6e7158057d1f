// Reading textures.
#pragma once

#include "emu/textures/textures.hpp"
