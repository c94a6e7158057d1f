// Surfaces.
#pragma once

#include "emu/textures.hpp"
